import path from 'node:path';
import { type CompileOptions, compile } from '../../compiler/compile.js';
import { graphHash } from '../../journal/graph-hash.js';
import { cancelRun as cancelIdle } from '../../run/cancel-run.js';
import { clearQuestions } from '../../run/questions/question-files.js';
import { readManifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { runFiles } from '../../run-directory/run-files.js';
import { type RunOwner, requestRun, runOwner } from '../../run-directory/run-requests.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { redactorOf } from '../../setup/keys.js';
import { statusPhrase } from '../../view/status-phrase.js';
import type { AcceptedRun, PauseRequestBody, RunStatusName } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { withProblems } from './problem-of.js';
import { extensionsOf } from './ready-resumption.js';
import type { RunEnvironment } from './ready-run.js';
import { type RunParts, statusOf } from './run-parts.js';
import { readWaiting, removeWaiting } from './server-files.js';
import { beginWaiting, lettingGo } from './start-runs.js';

/**
 * Pauses a run, whatever process executes it (§9.5).
 * @throws ProblemError `conflict` if there is none
 */
export async function pauseRun(
  parts: RunParts,
  id: string,
  { mode = 'after_stage', reason = 'requested at the server' }: PauseRequestBody,
): Promise<AcceptedRun> {
  const { executor, index } = parts;
  await lettingGo(parts, id);
  const status = statusOf(parts, id);
  if (status === 'paused') return { id, status };
  if (status !== 'running') throw cannot('be paused', status);
  const own = executor.own(id);
  if (own !== undefined) {
    own.pause({ mode, reason });
    return { id, status };
  }
  return withProblems(async () => {
    // It lies in the run directory until it is taken.
    const redactor = redactorOf(parts.environment.keyring);
    const request = { kind: 'pause', mode, reason: redactor.text(reason) } as const;
    const owner = requestRun(index.directoryOf(id), request);
    return { id, status: owner === undefined ? statusOf(parts, id) : status };
  });
}

/**
 * Ends a run for good, whatever process executes it, or none (SEMANTICS 76).
 * @throws ProblemError `conflict` if it has ended
 */
export async function cancelServedRun(parts: RunParts, id: string): Promise<AcceptedRun> {
  const { executor, index } = parts;
  await lettingGo(parts, id);
  const directory = index.directoryOf(id);
  const status = statusOf(parts, id);
  const own = executor.own(id);
  if (own !== undefined) {
    own.cancel();
    await atMost(patienceMs, own.end);
  } else if (executor.queue.has(id)) await cancelQueued(parts, id, directory);
  else if (status === 'running') {
    const owner = await withProblems(async () => requestRun(directory, { kind: 'cancel' }));
    if (owner !== undefined) await untilReleased(directory, owner);
  } else if (status === 'paused' || status === 'interrupted') await cancelUnowned(parts, directory);
  else throw cannot('be cancelled', status);
  await lettingGo(parts, id);
  index.forget(id);
  return { id, status: statusOf(parts, id) };
}

/** A run that never began has a journal all the same, which says that it was cancelled. */
async function cancelQueued(parts: RunParts, id: string, directory: string): Promise<void> {
  const { executor } = parts;
  const waiting = readWaiting(directory);
  if (executor.queue.kindOf(id) === 'start' && waiting?.kind === 'start') {
    const own = await withProblems(async () => beginWaiting(parts, id, waiting));
    executor.queue.remove(id);
    own.cancel();
    await executor.untilFinished(id);
    return;
  }
  executor.queue.remove(id);
  removeWaiting(directory);
  await cancelUnowned(parts, directory);
}

/** Cancels a run that no process executes, with the runs that its stages have started. */
async function cancelUnowned({ environment }: RunParts, directory: string): Promise<void> {
  const onNotice = (notice: string): void => environment.log.write('warning', notice);
  await withProblems(async () => {
    const options = await compileOptionsFor(directory, environment);
    await cancelIdle(directory, (of) => compile(readPipeline(of), options), { onNotice });
    const questions = path.join(directory, runFiles.questions);
    for (const problem of clearQuestions(questions, 'the run was cancelled, which closed its questions'))
      onNotice(`a file of a question could not be removed: ${problem}`);
  });
}

/** Loads the plugins of a run only if one of them has changed its graph: no stage is executed. */
async function compileOptionsFor(directory: string, environment: RunEnvironment): Promise<CompileOptions> {
  const manifest = readManifest(directory);
  const { graph } = compile(readPipeline(directory));
  if (graphHash(graph) === manifest.graph_hash) return {};
  return compileOptionsOf(await extensionsOf(directory, manifest, environment));
}

/** The problem of a run that is in the wrong state for what is wanted. */
export function cannot(what: string, status: RunStatusName): ProblemError {
  return new ProblemError('conflict', `the run cannot ${what}: it ${statusPhrase(status)}`);
}

/** Milliseconds for which a cancelling request waits for the end. */
export const patienceMs = 3000;
const lookMs = 50;

async function untilReleased(directory: string, owner: RunOwner): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    if (runOwner(directory)?.since !== owner.since) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Resolves with the work, or when the time is over. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
