import type { JsonValue } from '../../graph/json.js';
import type { FailureKind } from './event.js';
import type { Answer, Question } from './interview.js';
import type { Outcome, StageStatus } from './outcome.js';
import {
  orderedPersistentMap,
  type PersistentList,
  type PersistentMap,
  persistentList,
  persistentMap,
} from './persistent.js';

export type RunStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/**
 * Everything that a run is at one moment: the fold of its events, never changed in any other way. The collections are
 * persistent, so that a step costs the same after a million steps as after one, and an old state stays valid.
 */
export interface RunState {
  /** `seq` of the last event folded in. */
  readonly seq: number;
  readonly runId: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  /** Overrides the program's limit. */
  readonly maxSteps: number | undefined;
  /** Where control is. The main line is the cursor `main`; parallel branches are further cursors. */
  readonly cursors: ReadonlyMap<string, Cursor>;
  /** Started stages without start and exit, one a visit. */
  readonly steps: number;
  /** Ordinal that the next visit gets. */
  readonly nextIndex: number;
  /** Every started visit, in order (SEMANTICS 88). */
  readonly path: PersistentList<string>;
  /** Every settled visit but the exit's, in order (SEMANTICS 66c). */
  readonly completed: PersistentList<string>;
  /** The node that settled last: `current_node` of the checkpoint (§5.3). */
  readonly lastCompleted: string | undefined;
  /** The latest outcome of each node, in the order of the first one; a skipped stage leaves none (SEMANTICS 37). */
  readonly outcomes: PersistentMap<string, Outcome>;
  /** The latest status of each node, skipped ones included. */
  readonly statuses: PersistentMap<string, StageStatus>;
  /** Retries used up in the latest visit of each node (SEMANTICS 31). */
  readonly retries: PersistentMap<string, number>;
  readonly visits: PersistentMap<string, number>;
  /** Settled attempts of each node, over all visits. */
  readonly executions: PersistentMap<string, number>;
  /** Answered questions of each node, over all visits. */
  readonly answers: PersistentMap<string, number>;
  readonly goalGateRedirects: number;
  readonly logs: PersistentList<string>;
  /** Why the run failed. */
  readonly failure: RunFailure | undefined;
  /** Why the run is paused. */
  readonly pausedReason: string | undefined;
  /** Milliseconds since 1970; set when the run has ended. */
  readonly endedAt: number | undefined;
}

export interface RunFailure {
  readonly kind: FailureKind;
  readonly reason: string;
  readonly nodeId: string;
  /** Where the run goes on when it is resumed. */
  readonly resumeAt: string;
}

export const mainCursor = 'main';

/** A place of control: which node, and how far it has come with it. */
export interface Cursor {
  readonly id: string;
  readonly nodeId: string;
  readonly phase: CursorPhase;
  readonly visit: number;
  readonly attempt: number;
  readonly index: number;
  /** When the current attempt began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly context: PersistentMap<string, JsonValue>;
  /** The outcome that routes: the last one of a stage that does not pass another's through (SEMANTICS 21). */
  readonly routedOutcome: Outcome | undefined;
  /** The node that `routedOutcome` comes from. */
  readonly routedFrom: string | undefined;
  /** The outcome of the node itself, once it has settled. */
  readonly outcome: Outcome | undefined;
  /** When the next attempt begins, in the phase `waiting`; 0 until that is decided. */
  readonly waitUntil: number;
  /** Asked and not yet answered, with when it was asked. */
  readonly question: { readonly question: Question; readonly askedAt: number } | undefined;
  /** Answers that this attempt was given, so that it gets them again if it is run again after a crash. */
  readonly answers: PersistentMap<string, Answer>;
  /** Set while a failed run is resumed at this stage: its visit is not held against `max_visits`. */
  readonly visitIsExempt: boolean;
}

/**
 * - `arriving`: the node is chosen and not yet started
 * - `running`: an attempt is under way
 * - `interrupted`: a stage that must not simply run again was cut off; a person is asked what to do
 * - `waiting`: pausing before the attempt that `attempt` names
 * - `settled`: the outcome is recorded and the next node not yet chosen
 * - `finished`: nothing follows
 */
export type CursorPhase = 'arriving' | 'running' | 'interrupted' | 'waiting' | 'settled' | 'finished';

/** The state before the first event. */
export const initialState: RunState = {
  seq: 0,
  runId: '',
  status: 'created',
  startedAt: 0,
  inputs: {},
  maxSteps: undefined,
  cursors: new Map(),
  steps: 0,
  nextIndex: 0,
  path: persistentList(),
  completed: persistentList(),
  lastCompleted: undefined,
  outcomes: orderedPersistentMap(),
  statuses: persistentMap(),
  retries: persistentMap(),
  visits: persistentMap(),
  executions: persistentMap(),
  answers: persistentMap(),
  goalGateRedirects: 0,
  logs: persistentList(),
  failure: undefined,
  pausedReason: undefined,
  endedAt: undefined,
};

/** A cursor that is about to enter a node. */
export function arrivingCursor(
  id: string,
  nodeId: string,
  context: PersistentMap<string, JsonValue>,
): Cursor {
  return {
    id,
    nodeId,
    phase: 'arriving',
    visit: 0,
    attempt: 0,
    index: 0,
    startedAt: 0,
    context,
    routedOutcome: undefined,
    routedFrom: undefined,
    outcome: undefined,
    waitUntil: 0,
    question: undefined,
    answers: persistentMap(),
    visitIsExempt: false,
  };
}

/** @throws Error for a cursor that does not exist: a bug of the driver */
export function cursorNamed(state: RunState, id: string): Cursor {
  const cursor = state.cursors.get(id);
  if (cursor === undefined) throw new Error(`the run has no cursor "${id}"`);
  return cursor;
}
