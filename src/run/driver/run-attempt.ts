import { untilAborted } from '../../abort/abort.js';
import { nodeAttribute } from '../../graph/attributes.js';
import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import { stageStatuses } from '../../graph/stage-status.js';
import { foundText } from '../../graph/values/found-text.js';
import { failureOfError, messageOf, type ShouldRetry } from '../../handlers/error-category.js';
import { type Handler, type Stage, StageCrash, StageSuspension } from '../../handlers/handler.js';
import {
  type OutcomeOptions,
  type ReadOutcome,
  readHandlerResult,
  readStatusFile,
} from '../../handlers/read-outcome.js';
import { withFailureCategory } from '../../machine/categorize-failure.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { judgeAttempt } from '../../machine/retry.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import type { UnreadableFile } from '../../run-directory/obstruction.js';
import { RunError } from '../../run-directory/run-error.js';
import type { RunStore } from '../../run-directory/run-store.js';
import { withStoredArtifacts } from '../../run-directory/stage-artifacts.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';
import type { AttemptStage } from './attempt-stage.js';
import { untilWorked } from './awaited-time.js';
import type { Clock } from './clock.js';
import { completeOutcome } from './complete-outcome.js';
import type { DriverPorts } from './driver-ports.js';
import { externalizeOutcome } from './externalize.js';
import { withOwnUpdates } from './own-updates.js';
import { stopGraceMs } from './stop-grace.js';

/**
 * Runs one attempt of a stage and always returns a result: exceptions, the timeout, the status file and
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
  const ended = endOf(node, work, stage, ports.clock);
  return ended.then((ending) => resultOf(node, stage, effect, ending, ports));
}

/** Result of an attempt: an outcome, or the reason why it cannot continue now. */
export type AttemptResult =
  | {
      readonly kind: 'settled';
      readonly outcome: Outcome;
      readonly simulated?: true | undefined;
      /** Milliseconds of its work, if it has waited for its turn. */
      readonly workedMs?: number | undefined;
    }
  | { readonly kind: 'suspended'; readonly reason: string };

/** Result of an attempt, which is over afterwards. */
function resultOf(
  node: ProgramNode,
  stage: AttemptStage,
  effect: ExecuteEffect,
  ending: AttemptEnding,
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
  ending: AttemptEnding,
  ports: DriverPorts,
): AttemptResult {
  const { store, artifacts, redactor = noRedactor } = ports;
  if (ending.kind === 'threw' && ending.error instanceof StageSuspension) {
    return { kind: 'suspended', reason: boundedText(redactor.text(messageOf(ending.error))) };
  }
  const written = (): string | UnreadableFile | undefined =>
    node.handler.instant ? undefined : store.statuses.readForeign(stage.path);
  const reported = withContextUpdates(
    settleAttempt(node, stage, ending, written, ports),
    stage.contextUpdates,
  );
  const own = withOwnUpdates(node, reported, (message) => stage.log('warning', message));
  const completed = completeOutcome(node, stage, own, effect);
  // Before anything is cut: half of a secret would not be found.
  const settled = redactedOutcome(completed, redactor);
  noteRetry(node, stage, settled);
  const small = externalizeOutcome(settled, effect, stage.storedArtifacts ?? artifacts);
  const { storedArtifacts } = stage;
  // An artifact must exist as long as the outcome that refers to it.
  if (storedArtifacts !== undefined || small !== settled) artifacts.sync();
  const said = stage.saidFiles();
  const whole = said === undefined ? small : { ...small, ...said };
  const outcome = storedArtifacts === undefined ? whole : withStoredArtifacts(whole, storedArtifacts);
  return { kind: 'settled', outcome, simulated: stage.isSimulated || undefined, workedMs: stage.workedMs };
}

/** Tells the conversation why another attempt follows its answer (SEMANTICS 123). */
function noteRetry(node: ProgramNode, { conversation, attempt }: AttemptStage, outcome: Outcome): void {
  if (conversation === undefined) return;
  const verdict = judgeAttempt(node, outcome, attempt);
  if (verdict.kind === 'retry') conversation.retried(verdict.reason);
}

function withContextUpdates(outcome: Outcome, updates: ReadonlyMap<string, JsonValue> | undefined): Outcome {
  if (updates === undefined || updates.size === 0) return outcome;
  return { ...outcome, context_updates: { ...Object.fromEntries(updates), ...outcome.context_updates } };
}

/**
 * Moves the files of earlier visits and attempts, and removes an old status, so that it does not count for
 * this attempt.
 */
export function prepareDirectory(
  { handler }: ProgramNode,
  { path, visit, attempt }: AttemptStage,
  store: RunStore,
): void {
  if (visit > 1 && attempt === 1) {
    const isMoved = store.stages.archiveVisit(path, visit - 1);
    if (isMoved) store.statuses.forget(path);
  }
  if (attempt > 1) store.stages.archiveAttempt(path, attempt - 1);
  store.statuses.clear(path, handler.runsPrograms);
}

/** Calls a handler; one that returns at once, as those of no-op stages do, needs no wait. */
function callHandler(handler: Handler, stage: AttemptStage): AttemptEnding | Promise<AttemptEnding> {
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

async function endingOf(result: PromiseLike<unknown>, stage: AttemptStage): Promise<AttemptEnding> {
  try {
    return { kind: 'returned', result: await result };
  } catch (error) {
    return thrown(error, stage);
  }
}

/**
 * Ending of a handler that threw: a run that cannot be written any more ends for all stages; anything else
 * is the failure of this one.
 */
function thrown(error: unknown, stage: AttemptStage): AttemptEnding {
  if (!isInspectable(error)) return { kind: 'threw', error: new Error(messageOf(error)) };
  if (!(error instanceof RunError)) return { kind: 'threw', error };
  stage.close();
  throw error;
}

/** False for a proxy that throws whenever it is examined. */
function isInspectable(error: unknown): boolean {
  try {
    return error instanceof Error || true;
  } catch {
    return false;
  }
}

/**
 * Waits for the work, within limits: when the time is up, or the run stops, the handler receives the signal
 * and has a moment to stop. One that does not is abandoned.
 */
async function endOf(
  node: ProgramNode,
  work: Promise<AttemptEnding>,
  stage: AttemptStage,
  clock: Clock,
): Promise<AttemptEnding> {
  const { signal } = stage.controller;
  const watch = node.timeout && new AbortController();
  const expiry = watch && expireAfter(node, stage, clock, watch.signal);
  const first = await untilAborted(work, signal).finally(() => watch?.abort(attemptEnded));
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

/** Reason for every stage; without one an exception would be created each time. */
const attemptEnded = 'the attempt has ended';

/**
 * Aborts an attempt whose time is up; resolves with that time, or with undefined if the attempt ended
 * before. Time in which it waits for people does not count (SEMANTICS 129).
 */
async function expireAfter(
  node: ProgramNode,
  stage: AttemptStage,
  clock: Clock,
  watch: AbortSignal,
): Promise<string | undefined> {
  const { timeout } = node;
  if (timeout === undefined) return undefined;
  try {
    await untilWorked(timeout.milliseconds, stage, clock, watch);
  } catch {
    return undefined;
  }
  if (watch.aborted || stage.signal.aborted) return undefined;
  stage.controller.abort(new Error(`timeout after ${timeout.text}`));
  return timeout.text;
}

/** Output of a tool before it was stopped. */
function updatesOf(ending: AttemptEnding | undefined): Outcome['context_updates'] {
  const isCrash = ending?.kind === 'threw' && ending.error instanceof StageCrash;
  return isCrash ? ending.error.outcome.context_updates : undefined;
}

/** Outcome for the journal (DESIGN §4): without secrets, and with its original status. */
function redactedOutcome(outcome: Outcome, redactor: Redactor): Outcome {
  const clean = redactor.json(outcome);
  if (clean === outcome) return outcome;
  const { status, failure_category } = outcome;
  return { ...clean, status, failure_category };
}

/** Ending of an attempt's work, before it is interpreted. */
export type AttemptEnding =
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed_out'; readonly after: string; readonly updates: Outcome['context_updates'] };

/** Policy of a run for the outcomes of all its stages. */
export interface OutcomePolicy {
  readonly settings?: OutcomeOptions;
  /** Decides before the default predicate if an error may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
}

const autoStatusNotes = 'auto-status: handler completed without writing status';

/**
 * Outcome of an attempt (§4.12, SEMANTICS 30, 59b, 62, 84): exceptions, the timeout, the status file and
 * `auto_status` become one outcome, and a failure gets its category (Appendix D).
 * @param written reads the `status.json` that was written during the attempt; called only if it may decide
 */
export function settleAttempt(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  ending: AttemptEnding,
  written: () => string | UnreadableFile | undefined,
  policy: OutcomePolicy = {},
): Outcome {
  return withFailureCategory(outcomeOf(node, stage, ending, written, policy));
}

function outcomeOf(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  ending: AttemptEnding,
  written: () => string | UnreadableFile | undefined,
  policy: OutcomePolicy,
): Outcome {
  switch (ending.kind) {
    case 'timed_out':
      // It may be faster next time; the node's budget decides if there is one.
      return failure(`timeout after ${ending.after}`, {
        retryable: node.retry.maxAttempts > 1,
        failure_category: 'retryable',
        context_updates: ending.updates,
      });
    case 'threw':
      return outcomeOfError(stage, ending.error, policy);
    case 'returned':
      return outcomeOfAnyResult(node, stage, ending.result, written(), policy);
  }
}

function outcomeOfError(stage: Pick<Stage, 'log'>, error: unknown, { shouldRetry }: OutcomePolicy): Outcome {
  if (error instanceof StageCrash) return error.outcome;
  try {
    return failureOfError(error, shouldRetry);
  } catch (problem) {
    stage.log('warning', `shouldRetry threw: ${messageOf(problem)}; the default is used instead`);
    return failureOfError(error);
  }
}

/**
 * Outcome of a result whose getters and proxies may throw; that is a mistake of the handler like any other
 * (§4.12).
 */
function outcomeOfAnyResult(...given: Parameters<typeof outcomeOfResult>): Outcome {
  try {
    return outcomeOfResult(...given);
  } catch (error) {
    const [node] = given;
    return invalid(`${originOf(node)} returned an outcome that cannot be read: ${messageOf(error)}`);
  }
}

/** Outcome of a result; a status file that was written during the attempt overrides it. */
function outcomeOfResult(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  result: unknown,
  written: string | UnreadableFile | undefined,
  policy: OutcomePolicy,
): Outcome {
  const warn = (key: string): void =>
    stage.log(
      'warning',
      `context key "${key}" was set to a value that is not JSON; only the part that JSON can express is kept`,
    );
  const read = readHandlerResult(result, warn, policy.settings);
  if (written !== undefined) return outcomeOfStatusFile(written, read, policy);
  switch (read.kind) {
    case 'outcome':
      return read.outcome;
    case 'invalid':
      return invalid(`${originOf(node)} returned ${misshapen(node, result, read.problem)}`);
    case 'without_status':
      if (nodeAttribute(node.node, 'auto_status')) {
        return { ...read.details, status: 'success', notes: autoStatusNotes };
      }
      // An agent may remember its verdict next time: the node decides if there is one.
      return failure(
        `${missingStatus(node, result)} and wrote no status.json (auto_status=true would count that as a success)`,
      );
  }
}

/** Origin of a mistake: the handler of LLM stages passes on the result of its backend. */
function originOf({ handler: { type } }: ProgramNode): string {
  return type === 'codergen' ? 'the backend' : `the handler of \`${type}\``;
}

/** Description of an invalid result, as a whole or in a part. */
function misshapen({ handler: { type } }: ProgramNode, result: unknown, problem: string): string {
  if (typeof result === 'object' && !Array.isArray(result)) return `an ${problem}`;
  const text = type === 'codergen' ? 'a string or ' : '';
  return `${foundText(result)}; expected ${text}an outcome: an object with a "status" (${stageStatuses.join(', ')})`;
}

function missingStatus(node: ProgramNode, result: unknown): string {
  return result === undefined || result === null
    ? `${originOf(node)} reported no outcome`
    : `${originOf(node)} returned ${foundText(result)}, which has no "status",`;
}

/** Outcome of a status file; the output of a tool stays in the context all the same. */
function outcomeOfStatusFile(
  written: string | UnreadableFile,
  returned: ReadOutcome,
  policy: OutcomePolicy,
): Outcome {
  const updates = returned.kind === 'outcome' ? returned.outcome.context_updates : undefined;
  if (typeof written !== 'string') return invalid(`invalid status.json: ${written.problem}`, updates);
  const file = readStatusFile(written, policy.settings);
  if (file.kind === 'invalid') return invalid(`invalid status.json: ${file.problem}`, updates);
  if (updates === undefined) return file.outcome;
  return { ...file.outcome, context_updates: { ...updates, ...file.outcome.context_updates } };
}

/** Failure for an invalid status file, which would be invalid again: a validation error (§3.6). */
function invalid(reason: string, updates?: Outcome['context_updates']): Outcome {
  return failure(reason, {
    retryable: false,
    failure_category: 'terminal',
    context_updates: updates,
  });
}
