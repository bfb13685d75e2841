import type { VerdictJson } from '../../check/verdict-json.js';
import type { NamedProperty } from '../../graph/properties/monitor.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import type { TextToCheck } from './check-text.js';
import { invalidPipeline } from './invalid-pipeline.js';
import { type JudgePipeline, refuseOn } from './judge-pipeline.js';

/** A posted text, and properties that it has besides its own and those of the extensions. */
export interface CheckRequest {
  readonly text: string;
  /** Name of the text in findings. */
  readonly name: string;
  readonly properties: readonly NamedProperty[];
  readonly extensions: ChosenExtensions;
  readonly mostJudged: number;
}

/**
 * Decides the properties of a posted text.
 * @throws ProblemError `invalid_pipeline`; `bad_request` for a text that is too large, or takes too much time or memory
 */
export type CheckPipeline = (request: CheckRequest) => Promise<readonly VerdictJson[]>;

/** States after which a server gives up: seconds, also on a busy machine, where the command line takes a minute. */
const mostStates = 2_000;

/** The same where plugins transform the text, which is searched on the thread of the server. */
const mostStatesHere = 500;

/** @param onThread decides on another thread, unless transforms of plugins are needed */
export function checkBy(
  judge: JudgePipeline,
  onThread: (text: TextToCheck) => Promise<readonly VerdictJson[]>,
): CheckPipeline {
  return async ({ text, name, properties: more, extensions, mostJudged }) => {
    const judged = await judge({ text, name, extensions, files: undefined, mostJudged, checks: 'all' });
    const { diagnostics, summary } = judged;
    if (summary.errors > 0) throw invalidPipeline(diagnostics, summary.errors);
    const { transforms = [], handlerTypes, properties } = compileOptionsOf(extensions);
    const request = { text, handlerTypes, properties: [...properties, ...more], mostStates };
    if (transforms.length === 0) return onThread(request).catch(refuseOn('attractor check'));
    const { checkText } = await import('./check-text.js');
    return checkText({ ...request, mostStates: mostStatesHere }, { transforms });
  };
}
