import type { Inputs } from '../graph/values/declared-inputs.js';
import type { RunEvent } from '../machine/event.js';
import type { Input, InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import type { Projection } from './projection.js';
import type { Way } from './stage-ways.js';

/** One step of a run in the search: an attempt of a stage ends, or the pause before the next one. */
export interface SearchStep {
  readonly cursor: string;
  readonly nodeId: string;
  /** Number of attempts of the node before this one: its place in a script. */
  readonly execution: number;
  /** Undefined for the end of a pause or of the time of a parallel node, and for one that begins its branches. */
  readonly way: Way | undefined;
  readonly input: InputBody;
  /** Time of the input in milliseconds, if it is not 0. */
  readonly now?: number | undefined;
  /** Unknown fact on which the step depends, besides those of its stage. */
  readonly about?: string | undefined;
  /** Place among the steps that the cursor can take. */
  readonly ordinal: number;
}

/** A decision of the machine about a step. */
export interface Successor {
  readonly step: SearchStep;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly projection: Projection;
}

/** A state of a search, and how a run comes there. */
export interface Visit {
  readonly state: RunState;
  readonly before: Visit | undefined;
  readonly step: SearchStep | undefined;
  /** Key of its projection. */
  readonly key: string;
  /** True if something that the search does not know decides on the way. */
  readonly isAssumed: boolean;
}

/** True for a run that has ended before it would break a property. */
export function isBroken({ failure }: Pick<RunState, 'failure'>): boolean {
  return failure?.kind === 'property';
}

/** Begins each run of a search. */
export function beginning(inputs: Inputs): InputBody {
  return { kind: 'start', runId: 'check', graphHash: '', inputs };
}

/** An input of the machine in a search, in which no time passes but the one that a step waits for. */
export function inNoTime(body: InputBody, now = 0): Input {
  return { ...body, now, random: 0 };
}
