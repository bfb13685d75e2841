import { untilAborted } from '../../abort/abort.js';
import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import { messageOf } from '../../handlers/error-category.js';
import { type Handler, StageCrash, StageSuspension } from '../../handlers/handler.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { Outcome } from '../../machine/outcome.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import { RunError } from '../../run-directory/run-error.js';
import type { RunStore } from '../../run-directory/run-store.js';
import { withStoredArtifacts } from '../../run-directory/stage-artifacts.js';
import type { UnreadableFile } from '../../run-directory/stage-files.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';
import type { AttemptStage } from './attempt-stage.js';
import type { Clock } from './clock.js';
import type { DriverPorts } from './driver-ports.js';
import { externalizeOutcome } from './externalize.js';
import { type Ending, settleAttempt } from './settle-attempt.js';
import { stopGraceMs } from './stop-grace.js';

/**
 * Runs one attempt of a stage and always comes back with a result: exceptions, the timeout, the status file and
 * `auto_status` are settled here (§4.12, SEMANTICS 30, 59b, 62, 84).
 */
export function runAttempt(
  node: ProgramNode,
  handler: Handler,
  stage: AttemptStage,
  effect: ExecuteEffect,
  ports: DriverPorts,
): AttemptResult | Promise<AttemptResult> {
  if (!node.handler.instant) prepareDirectory(node, stage, ports.store);
  const work = callHandler(handler, stage);
  if (!(work instanceof Promise)) return resultOf(node, stage, effect, work, ports);
  const ended = endOf(node, work, stage.controller, ports.clock);
  return ended.then((ending) => resultOf(node, stage, effect, ending, ports));
}

/** What came of an attempt: an outcome, or that it cannot continue now. */
export type AttemptResult =
  | { readonly kind: 'settled'; readonly outcome: Outcome; readonly simulated?: true | undefined }
  | { readonly kind: 'suspended'; readonly reason: string };

/** Afterwards the attempt is over. */
function resultOf(
  node: ProgramNode,
  stage: AttemptStage,
  effect: ExecuteEffect,
  ending: Ending,
  ports: DriverPorts,
): AttemptResult {
  try {
    return settledResult(node, stage, effect, ending, ports);
  } finally {
    stage.close();
  }
}

function settledResult(
  node: ProgramNode,
  stage: AttemptStage,
  effect: ExecuteEffect,
  ending: Ending,
  ports: DriverPorts,
): AttemptResult {
  const { store, artifacts, redactor = noRedactor } = ports;
  if (ending.kind === 'threw' && ending.error instanceof StageSuspension) {
    return { kind: 'suspended', reason: boundedText(redactor.text(messageOf(ending.error))) };
  }
  const written = (): string | UnreadableFile | undefined =>
    node.handler.instant ? undefined : store.statuses.readForeign(stage.place);
  const told = withContextUpdates(settleAttempt(node, stage, ending, written, ports), stage.contextUpdates);
  // Before anything is cut: half of a secret would not be found.
  const settled = redactedOutcome(told, redactor);
  const small = externalizeOutcome(settled, effect, stage.storedArtifacts ?? artifacts);
  const { storedArtifacts } = stage;
  // What an outcome refers to must be there as long as the outcome is.
  if (storedArtifacts !== undefined || small !== settled) artifacts.sync();
  const outcome = storedArtifacts === undefined ? small : withStoredArtifacts(small, storedArtifacts);
  return { kind: 'settled', outcome, simulated: stage.isSimulated || undefined };
}

function withContextUpdates(outcome: Outcome, updates: ReadonlyMap<string, JsonValue> | undefined): Outcome {
  if (updates === undefined || updates.size === 0) return outcome;
  return { ...outcome, context_updates: { ...Object.fromEntries(updates), ...outcome.context_updates } };
}

/** The files of the visit and of the attempt before are put aside, and no old status may speak for this attempt. */
function prepareDirectory(
  { handler }: ProgramNode,
  { place, visit, attempt }: AttemptStage,
  store: RunStore,
): void {
  if (visit > 1 && attempt === 1) {
    const isMoved = store.stages.archiveVisit(place, visit - 1);
    if (isMoved) store.statuses.forget(place);
  }
  if (attempt > 1) store.stages.archiveAttempt(place, attempt - 1);
  store.statuses.clear(place, handler.runsPrograms);
}

/** A handler that comes back at once, as those of no-op stages do, needs nobody to wait for it. */
function callHandler(handler: Handler, stage: AttemptStage): Ending | Promise<Ending> {
  try {
    const result: unknown = handler.execute(stage);
    return isThenable(result) ? endingOf(result, stage) : { kind: 'returned', result };
  } catch (error) {
    return thrown(error, stage);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

async function endingOf(result: PromiseLike<unknown>, stage: AttemptStage): Promise<Ending> {
  try {
    return { kind: 'returned', result: await result };
  } catch (error) {
    return thrown(error, stage);
  }
}

/** A run that cannot be written any more ends for all stages; anything else is the failure of this one. */
function thrown(error: unknown, stage: AttemptStage): Ending {
  if (!isInspectable(error)) return { kind: 'threw', error: new Error(messageOf(error)) };
  if (!(error instanceof RunError)) return { kind: 'threw', error };
  stage.close();
  throw error;
}

/** A proxy may throw whatever is asked of it, even what it is made of. */
function isInspectable(error: unknown): boolean {
  try {
    return error instanceof Error || true;
  } catch {
    return false;
  }
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
  const first = await untilAborted(work, signal).finally(() => watch.abort(attemptEnded));
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

/** What a tool had printed before it was stopped. */
function updatesOf(ending: Ending | undefined): Outcome['context_updates'] {
  const isCrash = ending?.kind === 'threw' && ending.error instanceof StageCrash;
  return isCrash ? ending.error.outcome.context_updates : undefined;
}

/** An outcome as the journal may have it (DESIGN §4): without secrets, and with its status as it was. */
function redactedOutcome(outcome: Outcome, redactor: Redactor): Outcome {
  const clean = redactor.json(outcome);
  if (clean === outcome) return outcome;
  const { status, failure_category } = outcome;
  return { ...clean, status, failure_category };
}
