import path from 'node:path';
import { allowManyListeners } from '../../abort/abort.js';
import { messageOf } from '../../handlers/error-category.js';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { acquireLock, describeHolder, type Lock, lockHolder } from '../../run-directory/lock.js';
import { graceMs } from '../../run-directory/lock-age.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { RunList } from '../api/run.js';
import { judgeBy } from '../judging/judge-pipeline.js';
import type { ServerOptions } from '../server-options.js';
import { answerRun } from './answer-run.js';
import { forkRun } from './fork-run.js';
import {
  countRuns,
  findDirectory,
  followRunEvents,
  isQueued,
  listQuestions,
  listRuns,
  readDetail,
  readDetailText,
} from './look-at-runs.js';
import { recoverCutOff, recoverRuns } from './recover-runs.js';
import { localRunWords, RunDetails } from './run-details.js';
import { RunExecutor } from './run-executor.js';
import { RunIndex } from './run-index.js';
import type { RunParts } from './run-parts.js';
import type { RunListQuery, RunRegistry, RunRegistryDeps } from './run-registry.js';
import { resumeServedRun, submitRun } from './start-runs.js';
import { cancelServedRun, pauseRun } from './steer-runs.js';
import { steerStage } from './steer-stage.js';

/** Runs of this machine, whose list is at hand. */
export interface LocalRunRegistry extends RunRegistry {
  list(query: RunListQuery): RunList;
}

/**
 * Opens the runs in a home for a server (§9.5), and continues with what the server before has left there.
 * @throws UsageError where another server has them, or the home cannot be used
 */
export async function openRunRegistry(
  options: ServerOptions,
  deps: RunRegistryDeps,
): Promise<LocalRunRegistry> {
  const home = path.resolve(options.home);
  const { log, clock, judge = judgeBy(), observe } = deps;
  const lock = await lockHome(home, (message) => log.write('info', message));
  const index = new RunIndex(home);
  const closing = new AbortController();
  // Every stream listens.
  allowManyListeners(closing.signal);
  const now = clock?.now ?? Date.now;
  const environment = { options, log, clock, keyring: { env: options.variables }, judge, observe };
  const executor = new RunExecutor(environment, (id) => index.forget(id));
  const details = new RunDetails(now, localRunWords);
  const parts: RunParts = { environment, home, index, executor, details, now, closing: closing.signal };
  let later: NodeJS.Timeout | undefined;
  try {
    const undecided = recoverRuns(parts);
    // Their processes may have been killed together with the server before this one, in another container.
    if (undecided.length > 0) later = setTimeout(() => recoverCutOff(parts, undecided), graceMs).unref();
  } catch (error) {
    lock.release();
    throw error;
  }
  executor.pump();
  const stop = async (): Promise<void> => {
    clearTimeout(later);
    closing.abort();
    await executor.close();
  };
  lock.onLost((error) => {
    log.write(
      'error',
      `another server already serves the runs in ${home} now, and this one executes no more: ${error.message}`,
    );
    stop().catch((failure: unknown) => log.write('error', messageOf(failure)));
  });
  index.warmUp(closing.signal).catch((error: unknown) => log.write('warning', messageOf(error)));
  let closed: Promise<void> | undefined;
  return localRuns(parts, () => {
    closed ??= stop().then(() => lock.release());
    return closed;
  });
}

/** The operations on the runs of a home on this machine, each a function of what all of them work with. */
function localRuns(parts: RunParts, close: RunRegistry['close']): LocalRunRegistry {
  const on =
    <Args extends readonly unknown[], Result>(operation: (parts: RunParts, ...args: Args) => Result) =>
    (...args: Args): Result =>
      operation(parts, ...args);
  return {
    fetch: () => undefined,
    list: on(listRuns),
    submit: on(submitRun),
    detail: on(readDetail),
    detailText: on(readDetailText),
    isQueued: on(isQueued),
    events: on(followRunEvents),
    cancel: on(cancelServedRun),
    pause: on(pauseRun),
    resume: on(resumeServedRun),
    fork: on(forkRun),
    questions: on(listQuestions),
    answer: on(answerRun),
    steer: on(steerStage),
    directory: on(findDirectory),
    onRunEvent: (listener) => parts.executor.onRunEvent(listener),
    counts: on(countRuns),
    workers: undefined,
    close,
  };
}

/**
 * Locks a home, because two servers would both continue the same runs. A server of another container or machine may have been killed a moment ago:
 * this one waits until that is certain, or until it gives a sign of life.
 */
async function lockHome(home: string, tell: (message: string) => void): Promise<Lock> {
  try {
    makeDirectory(home);
  } catch (error) {
    throw new UsageError(`the runs cannot be stored in ${home}: ${describeSystemError(error)}`);
  }
  const file = path.join(home, 'server.lock');
  let oldest: number | undefined;
  for (;;) {
    const holder = lockHolder(file);
    const age = holder?.elsewhere?.age;
    if (holder === undefined || age === undefined || age < (oldest ?? 0)) return takeHome(home, file);
    if (oldest === undefined)
      tell(`waiting for a sign of life from another server, ${describeHolder(holder)}`);
    oldest = age;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

const lookMs = 1000;

function takeHome(home: string, file: string): Lock {
  try {
    return acquireLock(file);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const holder = lockHolder(file);
    const who = holder === undefined ? 'process unknown' : describeHolder(holder);
    const problem =
      error.code === 'run_locked'
        ? `another server (${who}) already serves the runs in ${home}: stop it, or use another directory with --home DIR`
        : `the runs cannot be stored in ${home}: ${messageOf(error.cause ?? error)}`;
    throw new UsageError(problem);
  }
}
