import { messageOf } from '../../handlers/error-category.js';
import { ProblemError } from '../problem-error.js';

/** Milliseconds for which a request waits for the database; what asks it waits longer, and is not lost. */
const patienceMs = 5000;
/** Seconds after which a client tries again. */
const retrySeconds = 5;

/**
 * The answer of the database to a request of a client, who does not wait for as long as it may be away.
 * @throws ProblemError `unavailable`
 */
export async function answered<Answer>(asking: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new ProblemError(
          'unavailable',
          `the database of the cluster has not answered for ${patienceMs / 1000} s; try again`,
          { retryAfter: retrySeconds },
        ),
      );
    }, patienceMs);
  });
  // What comes too late is of no interest.
  asking.catch(() => undefined);
  try {
    return await Promise.race([asking, tooLong]);
  } catch (error) {
    throw isRefused(error) ? refusedBy(error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** True if PostgreSQL lets nobody in with this login, as after a change of its password or its roles. */
function isRefused(error: unknown): boolean {
  return (error as { readonly severity?: string }).severity === 'FATAL';
}

function refusedBy(error: unknown): ProblemError {
  const message = `the database of the cluster refuses the connection of this server: ${messageOf(error)}`;
  return new ProblemError('unavailable', message, { retryAfter: retrySeconds, cause: error });
}
