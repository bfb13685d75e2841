import type { Node } from '../../graph/graph.js';
import type { Outcome } from '../machine/outcome.js';
import type { Context } from './context.js';

/**
 * Whatever does the work of an LLM stage (§4.5): a model, a coding agent, a person with a keyboard. A pipeline does not
 * change with its backend.
 */
export interface CodergenBackend {
  /**
   * @param prompt the final text; `$goal` is already expanded
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
}
