import path from 'node:path';
import { allowManyListeners } from '../../abort/abort.js';
import { messageOf } from '../../handlers/error-category.js';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { acquireLock, type Lock, lockHolder } from '../../run-directory/lock.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { ServerOptions } from '../server-options.js';
import { LocalRuns } from './local-runs.js';
import { recoverRuns } from './recover-runs.js';
import { RunDetails } from './run-details.js';
import { RunExecutor } from './run-executor.js';
import { RunIndex } from './run-index.js';
import type { RunParts } from './run-parts.js';
import type { RunRegistry, RunRegistryDeps } from './run-registry.js';

/**
 * Opens the runs in a home for a server (§9.5), and continues with what the server before has left there.
 * @throws UsageError where another server has them, or the home cannot be used
 */
export async function openRunRegistry(options: ServerOptions, deps: RunRegistryDeps): Promise<RunRegistry> {
  const home = path.resolve(options.home);
  const lock = lockHome(home);
  const index = new RunIndex(home);
  const closing = new AbortController();
  // Every stream listens.
  allowManyListeners(closing.signal);
  const { log, clock, observe } = deps;
  const now = clock?.now ?? Date.now;
  const surroundings = { options, log, clock, keyring: { env: options.variables }, observe };
  const executor = new RunExecutor(surroundings, (id) => index.forget(id));
  const details = new RunDetails(now);
  const parts: RunParts = { surroundings, home, index, executor, details, now, closing: closing.signal };
  try {
    recoverRuns(parts);
  } catch (error) {
    lock.release();
    throw error;
  }
  executor.pump();
  index.warmUp(closing.signal).catch((error: unknown) => log.write('warning', messageOf(error)));
  return new LocalRuns(parts, async () => {
    closing.abort();
    await executor.close();
    lock.release();
  });
}

/** Two servers would both continue the same runs. */
function lockHome(home: string): Lock {
  try {
    makeDirectory(home);
  } catch (error) {
    throw new UsageError(`the runs cannot be kept in ${home}: ${describeSystemError(error)}`);
  }
  const file = path.join(home, 'server.lock');
  try {
    return acquireLock(file);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const problem =
      error.code === 'run_locked'
        ? `another server (process ${lockHolder(file) ?? 'unknown'}) has the runs in ${home}: stop it, or keep the runs elsewhere with --home DIR`
        : `the runs cannot be kept in ${home}: ${messageOf(error.cause ?? error)}`;
    throw new UsageError(problem);
  }
}
