import type { Node } from '../../graph/graph.js';
import type { FidelityMode } from '../machine/fidelity.js';
import type { Outcome } from '../machine/outcome.js';
import type { Context } from './context.js';

/**
 * Whatever does the work of an LLM stage (§4.5): a model, a coding agent, a person with a keyboard. A pipeline does not
 * change with its backend.
 */
export interface CodergenBackend {
  /**
   * @param prompt the final text: what the stage is told of the run, then its own prompt with `$goal` expanded
   * @returns the response, which counts as a success, or an outcome of its own
   * @throws an error, which becomes a FAIL; whether it may be tried again is read off it (§3.6)
   */
  run(node: Node, prompt: string, context: Context, call: BackendCall): Promise<string | Outcome>;
}

/** The circumstances of one call of a backend. */
export interface BackendCall {
  /** Aborted when the stage's time is up or the run stops. */
  readonly signal: AbortSignal;
  /** The directory that the stage works on. */
  readonly workingDirectory: string;
  /** Where files about the stage belong. */
  readonly stageDirectory: string;
  readonly attempt: number;
  /** How much of what went before the stage is told (§5.4). Unless it is `full`, the prompt says it, and the session is fresh. */
  readonly fidelity?: FidelityMode | undefined;
  /** Under `full`: which session to go on with; unique in the run, and in a fresh process there is none yet. */
  readonly thread?: string | undefined;
}
