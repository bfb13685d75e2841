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
  /** Undefined for the end of a pause, and for a parallel node, which begins its branches. */
  readonly way: Way | undefined;
  readonly input: InputBody;
}

/** A decision of the machine about a step. */
export interface Successor {
  readonly step: SearchStep;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly projection: Projection;
}

/** Begins each run of a search. */
export const beginning: InputBody = { kind: 'start', runId: 'check', graphHash: '', inputs: {} };

/** An input of the machine in a search, in which no time passes. */
export function inNoTime(body: InputBody): Input {
  return { ...body, now: 0, random: 0 };
}
