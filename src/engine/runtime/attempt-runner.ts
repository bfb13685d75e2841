import { nodeAttribute } from '../../graph/attributes.js';
import type { ProgramNode } from '../../graph/program.js';
import { isRetryable, messageOf } from '../handlers/error-category.js';
import { type Handler, type Stage, StageCrash, StageSuspension } from '../handlers/handler.js';
import { failure, type Outcome } from '../machine/outcome.js';
import type { Clock } from './clock.js';
import { type ReadOutcome, readHandlerResult, readStatusFile } from './read-outcome.js';
import { RunError } from './run-error.js';
import type { RunStore } from './run-store.js';

export const statusFile = 'status.json';

/** How long a handler may take to stop before its stage is given up. */
const stopGraceMs = 5000;

const autoStatusNotes = 'auto-status: handler completed without writing status';

/**
 * Runs one attempt of a stage and always comes back with an outcome: exceptions, the timeout, the status file and
 * `auto_status` are settled here (§4.12, SEMANTICS 30, 59b, 62, 84).
 * @param controller aborted by the driver when the run stops; aborted here when the time is up
 */
export function runAttempt(
  node: ProgramNode,
  handler: Handler,
  stage: StageInPlace,
  controller: AbortController,
  store: RunStore,
  clock: Clock,
): AttemptResult | Promise<AttemptResult> {
  if (!node.handler.instant) prepareDirectory(stage, store);
  const work = callHandler(handler, stage);
  if (!(work instanceof Promise)) return resultOf(node, stage, work, store);
  return endOf(node, work, controller, clock).then((ending) => resultOf(node, stage, ending, store));
}

/** A stage, and where its files are, relative to the run directory. */
export interface StageInPlace extends Stage {
  readonly place: string;
}

/** What came of an attempt: an outcome, or that it cannot go on now. */
export type AttemptResult =
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | { readonly kind: 'suspended'; readonly reason: string };

function resultOf(node: ProgramNode, stage: StageInPlace, ending: Ending, store: RunStore): AttemptResult {
  if (ending.kind === 'threw' && ending.error instanceof StageSuspension) {
    return { kind: 'suspended', reason: ending.error.message };
  }
  const outcome = settle(node, stage, ending, store);
  if (stage.context.updates.size === 0) return { kind: 'settled', outcome };
  const updates = { ...Object.fromEntries(stage.context.updates), ...outcome.context_updates };
  return { kind: 'settled', outcome: { ...outcome, context_updates: updates } };
}

/** The files of the visit before are put aside, and no old status may speak for this attempt. */
function prepareDirectory({ place, visit, attempt }: StageInPlace, store: RunStore): void {
  if (visit > 1 && attempt === 1) store.archiveVisit(place, visit - 1);
  store.removeStageFile(place, statusFile);
}

/** How the work of an attempt ended, before anything is made of it. */
type Ending =
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed_out'; readonly after: string; readonly updates: Outcome['context_updates'] };

/** A handler that comes back at once, as those of no-op stages do, needs nobody to wait for it. */
function callHandler(handler: Handler, stage: Stage): Ending | Promise<Ending> {
  try {
    const result: unknown = handler.execute(stage);
    return isThenable(result) ? endingOf(result) : { kind: 'returned', result };
  } catch (error) {
    return thrown(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

async function endingOf(result: PromiseLike<unknown>): Promise<Ending> {
  try {
    return { kind: 'returned', result: await result };
  } catch (error) {
    return thrown(error);
  }
}

/** A run that cannot be written any more ends for all stages; anything else is the failure of this one. */
function thrown(error: unknown): Ending {
  if (error instanceof RunError) throw error;
  return { kind: 'threw', error };
}

/**
 * Waits for the work, but not for ever: when the time is up, or the run stops, the handler is told so and has a moment to
 * stop. One that does not is left behind.
 */
async function endOf(
  node: ProgramNode,
  work: Promise<Ending>,
  controller: AbortController,
  clock: Clock,
): Promise<Ending> {
  const { signal } = controller;
  const watch = new AbortController();
  const expiry = expireAfter(node, controller, clock, watch.signal);
  const stopped = whenAborted(signal).then(() => undefined);
  const first = await Promise.race([work, stopped]).finally(() => watch.abort(attemptEnded));
  if (first !== undefined) return first;
  const grace = new AbortController();
  const patience = clock.sleep(stopGraceMs, grace.signal).then(
    () => undefined,
    () => undefined,
  );
  const late = await Promise.race([work, patience]);
  grace.abort();
  const after = await expiry;
  if (after !== undefined) return { kind: 'timed_out', after, updates: updatesOf(late) };
  return late ?? { kind: 'threw', error: signal.reason };
}

/** Given with every stage; without a reason an exception would be made each time. */
const attemptEnded = 'the attempt has ended';

/** Aborts an attempt whose time is up; resolves with that time, or with nothing where the attempt ended before. */
async function expireAfter(
  node: ProgramNode,
  controller: AbortController,
  clock: Clock,
  watch: AbortSignal,
): Promise<string | undefined> {
  const { timeout } = node;
  if (timeout === undefined) return undefined;
  try {
    await clock.sleep(timeout.milliseconds, watch);
  } catch {
    return undefined;
  }
  if (watch.aborted || controller.signal.aborted) return undefined;
  controller.abort(new Error(`timeout after ${timeout.text}`));
  return timeout.text;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** What a tool had printed before it was stopped. */
function updatesOf(ending: Ending | undefined): Outcome['context_updates'] {
  const isCrash = ending?.kind === 'threw' && ending.error instanceof StageCrash;
  return isCrash ? ending.error.outcome.context_updates : undefined;
}

function settle(node: ProgramNode, stage: StageInPlace, ending: Ending, store: RunStore): Outcome {
  switch (ending.kind) {
    case 'timed_out':
      return failure(`timeout after ${ending.after}`, {
        retryable: node.retry.maxAttempts > 1,
        ...(ending.updates && { context_updates: ending.updates }),
      });
    case 'threw':
      return outcomeOfError(ending.error);
    case 'returned':
      return outcomeOfResult(node, stage, ending.result, store);
  }
}

function outcomeOfError(error: unknown): Outcome {
  if (error instanceof StageCrash) return error.outcome;
  const retryable = isRetryable(error);
  return failure(messageOf(error), retryable === undefined ? {} : { retryable });
}

/** A status file that was written during the attempt wins over what the handler returned. */
function outcomeOfResult(node: ProgramNode, stage: StageInPlace, result: unknown, store: RunStore): Outcome {
  const read = readHandlerResult(result, (key) =>
    stage.log(
      'warning',
      `context key "${key}" was given a value that is no JSON; what JSON can hold is kept`,
    ),
  );
  const written = node.handler.instant ? undefined : store.readStageFile(stage.place, statusFile);
  if (written !== undefined) return outcomeOfStatusFile(written, read);
  switch (read.kind) {
    case 'outcome':
      return read.outcome;
    case 'invalid':
      return failure(`the handler returned an ${read.problem}`);
    case 'without_status':
      if (nodeAttribute(node.node, 'auto_status')) {
        return { ...read.details, status: 'success', notes: autoStatusNotes };
      }
      return failure(
        'the handler reported no outcome and wrote no status.json (auto_status=true would count that as a success)',
      );
  }
}

/** What a tool printed stays in the context, whatever its status file says. */
function outcomeOfStatusFile(text: string, returned: ReadOutcome): Outcome {
  const file = readStatusFile(text);
  if (file.kind === 'invalid') return failure(`invalid status.json: ${file.problem}`);
  const updates = returned.kind === 'outcome' ? returned.outcome.context_updates : undefined;
  if (updates === undefined) return file.outcome;
  return { ...file.outcome, context_updates: { ...updates, ...file.outcome.context_updates } };
}
