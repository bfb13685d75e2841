import type { ChosenRoute } from '../../graph/choose-route.js';
import type { ConditionScope } from '../../graph/evaluate-condition.js';
import type { ProgramNode } from '../../graph/program.js';
import type { Continuation, FlowValues, Said } from './flow-state.js';
import type { StageChoice } from './stage-choices.js';

/** A visit of a node has ended in one of the possible ways; or a parallel node has begun its branches. */
export interface Departure extends Continuation {
  readonly node: ProgramNode;
  /** Line of control in which it happens; empty for the main line. */
  readonly line: string;
  /** `forks` for a parallel node that begins its branches, `joins` for one whose branches have met. */
  readonly part: 'forks' | 'joins' | 'whole';
  /** What the stage itself says. */
  readonly choice: StageChoice;
  /** Status of the node itself, after its own rules. */
  readonly ownStatus: Said['status'];
  /** The outcome that routes. */
  readonly routed: Said;
  /** Followed values after the visit. */
  readonly values: FlowValues;
  /** Scope in which the conditions of the edges are judged. */
  readonly scope: ConditionScope;
  /** Attempts that end alike before the visit ends so; undefined if no script is known to show it. */
  readonly attempts: number | undefined;
  /** Attempts before those, each of which asks for another one. */
  readonly asked: number;
  readonly route: ChosenRoute;
}

/** What can follow a state. */
export interface Steps {
  readonly departures: readonly Departure[];
  /** False if more can follow than that: a limit was reached, or a part of the node is not followed. */
  readonly areAll: boolean;
  /** True if the visit begins; a limit may keep the run from it. */
  readonly isEntered: boolean;
}

/** Outcome with which a run begins, and each of its branches. */
export const begun: Said = { status: 'success', preferred_label: undefined, suggested_next_ids: undefined };

/** Steps from a state that is not followed. */
export const notFollowed: Steps = { departures: [], areAll: false, isEntered: true };
