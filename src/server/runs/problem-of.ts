import { RunError } from '../../run-directory/run-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { ProblemCode } from '../api/problem.js';
import { ProblemError } from '../problem-error.js';

/** Problem of an error for the client (SEMANTICS 73); our own bugs are returned unchanged. */
export function problemOf(error: unknown): unknown {
  if (error instanceof RunError) return new ProblemError(codeOf(error), error.message, { cause: error });
  if (error instanceof UsageError) return new ProblemError('bad_request', error.message, { cause: error });
  return error;
}

function codeOf({ code }: RunError): ProblemCode {
  switch (code) {
    case 'run_not_found':
      return 'not_found';
    case 'run_exists':
    case 'run_locked':
    case 'run_damaged':
      return 'conflict';
    case 'usage':
      return 'bad_request';
    case 'unusable_directory':
    case 'storage':
      return 'storage';
  }
}

/** Carries something out, and says what keeps it from being done in the words of the API. */
export async function withProblems<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw problemOf(error);
  }
}
