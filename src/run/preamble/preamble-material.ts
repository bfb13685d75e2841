import { graphAttribute } from '../../graph/attributes.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program } from '../../graph/program.js';
import type { EdgeSelected } from '../../machine/event.js';
import { reasonOf, type StageStatus, valuesSetBy } from '../../machine/outcome.js';
import type { PersistentMap } from '../../machine/persistent.js';
import { cursorNamed, type RunState } from '../../machine/state.js';
import type { HistoryCounts, HistoryEvent, Past, RunHistory, SettledStage } from './run-history.js';
import { isKnown, unseen } from './unseen-past.js';

/** Material of a preamble (§5.4, §9.2): plain data, small however long the run is. */
export interface PreambleMaterial {
  readonly goal: string;
  readonly runId: string;
  /** Name of the pipeline. */
  readonly pipeline: string;
  /** Stage that receives the preamble. */
  readonly stage: CurrentStage;
  /** True if the conversation of the stage knows the run already, so that the rest is only what it has not seen (SEMANTICS 124). */
  readonly isNews: boolean;
  /** Number of settled visits that are not in `past`, because the conversation has them. */
  readonly known: number;
  readonly counts: HistoryCounts;
  /** Past events, the latest first. */
  readonly past: readonly PastEntry[];
  /** Values of stages and inputs in the context, the latest first; the engine's own keys are left out. */
  readonly context: readonly ContextValue[];
}

export interface CurrentStage {
  readonly id: string;
  readonly label: string;
  readonly visit: number;
  readonly attempt: number;
}

export interface ContextValue {
  readonly key: string;
  readonly value: JsonValue;
}

export type PastEntry = PastStage | FailedAttempt | Interruption | Jump | Decision | RunFailure;

/** Visit of a stage that has settled. */
export interface PastStage {
  readonly kind: 'stage';
  readonly id: string;
  readonly label: string;
  readonly visit: number;
  readonly status: StageStatus;
  readonly retries: number;
  /** Notes of the outcome, or the reason of a failure. */
  readonly notes: string;
  /** Beginning of an LLM stage's answer. */
  readonly response: string;
  /** End of a tool's output. */
  readonly output: string;
}

/** Attempt that was retried. */
export interface FailedAttempt {
  readonly kind: 'failed_attempt';
  readonly id: string;
  readonly visit: number;
  readonly attempt: number;
  readonly reason: string;
}

/** Attempt that was cut off by the end of a process. */
export interface Interruption {
  readonly kind: 'interruption';
  readonly id: string;
  readonly visit: number;
}

/** Jump of control without an edge. */
export interface Jump {
  readonly kind: 'jump';
  readonly from: string;
  readonly to: string;
  /** Goal gate that was not satisfied; undefined if `from` had failed. */
  readonly gate: string | undefined;
}

/** Question with the answer of a person. */
export interface Decision {
  readonly kind: 'decision';
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  /** True if nobody answered in time. */
  readonly timedOut: boolean;
}

/** Failure of the run before it was resumed. */
export interface RunFailure {
  readonly kind: 'run_failure';
  readonly id: string;
  readonly reason: string;
}

/** Stage that is about to be executed. */
export interface StageExecution {
  readonly cursor: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
}

/**
 * Material for a stage's preamble, from the state of the run and its history.
 * @param thread thread whose conversation the stage continues
 */
export function preambleMaterial(
  program: Program,
  state: RunState,
  history: RunHistory,
  { cursor, nodeId, visit, attempt }: StageExecution,
  thread?: string,
): PreambleMaterial {
  const whole = history.pastOf(cursor);
  const seen = thread === undefined ? undefined : history.seenBy(thread, cursor, { nodeId, visit });
  const past = seen === undefined ? whole : unseen(whole, seen);
  const told = seen === undefined ? past.events : past.events.filter((event) => !isKnown(event, seen));
  const isNews = seen?.knowsRun === true;
  return {
    goal: graphAttribute(program.graph, 'goal'),
    runId: state.runId,
    pipeline: program.graph.name,
    stage: { id: nodeId, label: program.nodes.get(nodeId)?.label ?? nodeId, visit, attempt },
    isNews,
    known: past.events.length - told.length,
    counts: past.counts,
    past: told.map(entryOf),
    context: contextOf(
      [...writtenKeys(past.events), ...(isNews ? keysOfJoins(whole, seen.seq) : Object.keys(state.inputs))],
      cursorNamed(state, cursor).context,
    ),
  };
}

function entryOf(event: HistoryEvent): PastEntry {
  switch (event.type) {
    case 'StageCompleted':
    case 'StageSkipped':
      return pastStage(event);
    case 'StageFailed':
      return event.will_retry ? failedAttempt(event) : pastStage(event);
    case 'StageStarted':
      return { kind: 'interruption', id: event.node_id, visit: event.visit };
    case 'EdgeSelected':
      return jump(event);
    case 'InterviewCompleted':
    case 'InterviewTimeout':
      return {
        kind: 'decision',
        id: event.stage,
        question: event.question,
        answer: event.answer.selected_option?.label ?? event.answer.text ?? event.answer.value,
        timedOut: event.type === 'InterviewTimeout',
      };
    case 'PipelineFailed':
      return { kind: 'run_failure', id: event.node_id, reason: event.error };
  }
}

function pastStage({ node_id: id, name, visit, attempt, outcome }: SettledStage): PastStage {
  const { status, notes = '', context_updates: updates = {} } = outcome;
  const text = (key: string): string => {
    const value = Object.hasOwn(updates, key) ? updates[key] : '';
    return typeof value === 'string' ? value : '';
  };
  return {
    kind: 'stage',
    id,
    label: name,
    visit,
    status,
    retries: attempt - 1,
    notes: status === 'fail' ? reasonOf(outcome) : saysNothing(notes, id) ? '' : notes,
    response: text('last_response'),
    output: text('tool.output'),
  };
}

/** True for the notes that every LLM stage has (§4.5). */
function saysNothing(notes: string, id: string): boolean {
  return notes === `Stage completed: ${id}`;
}

function failedAttempt({ node_id: id, visit, attempt, outcome }: SettledStage): FailedAttempt {
  return { kind: 'failed_attempt', id, visit, attempt, reason: reasonOf(outcome) };
}

function jump({ from, to, gate }: EdgeSelected): Jump {
  return { kind: 'jump', from, to, gate };
}

const mostValues = 100;

/** Values of written keys only, so that the cost is the same in a context of a million keys. */
function contextOf(
  keys: Iterable<string>,
  context: PersistentMap<string, JsonValue>,
): readonly ContextValue[] {
  const values = new Map<string, JsonValue>();
  for (const key of keys) {
    if (values.size >= mostValues) break;
    const value = isOfInterest(key) ? context.get(key) : undefined;
    if (value !== undefined && !values.has(key)) values.set(key, value);
  }
  return [...values].map(([key, value]) => ({ key, value }));
}

function* writtenKeys(events: readonly HistoryEvent[]): Iterable<string> {
  for (const event of events) {
    if ('outcome' in event) yield* Object.keys(valuesSetBy(event.outcome) ?? {});
  }
}

/** Keys with the results of parallel nodes, if a join has set them since. */
function* keysOfJoins({ events, joinedAt }: Past, seq: number): Iterable<string> {
  if (joinedAt <= seq) return;
  for (const key of writtenKeys(events)) if (key.startsWith('parallel.')) yield key;
}

/** Keys that the engine uses itself, and those that are shown with the stage that wrote them. */
const toldElsewhere =
  /^(?:internal\.|graph\.|human\.gate\.|tool\.(?:output|stderr|last_line|exit_code)$|(?:outcome|preferred_label|current_node|last_stage|last_response)$)/;

function isOfInterest(key: string): boolean {
  return !toldElsewhere.test(key);
}
