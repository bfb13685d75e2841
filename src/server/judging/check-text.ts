import { checkProperties } from '../../check/check-properties.js';
import { type VerdictJson, verdictToJson } from '../../check/verdict-json.js';
import { type CompileOptions, compileJudged } from '../../compiler/compile.js';
import type { HandlerType } from '../../graph/handler-types.js';
import type { NamedProperty } from '../../graph/properties/monitor.js';

/** Pipeline without errors and its properties, as data for another thread. */
export interface TextToCheck {
  readonly text: string;
  readonly handlerTypes: readonly HandlerType[];
  /** Properties besides those of the text. */
  readonly properties: readonly NamedProperty[];
  /** States of all searches together, of which each property has the same part. */
  readonly mostStates: number;
}

/** Module in which a thread finds `checkText`: the bundle's chunk; of the sources, which Node cannot load, undefined. */
export const checkModule = import.meta.url.endsWith('.ts') ? undefined : import.meta.url;

/**
 * Decides the properties of a pipeline.
 * @param more transforms of plugins, which are functions and no data
 */
export async function checkText(
  { text, handlerTypes, properties, mostStates }: TextToCheck,
  more: Pick<CompileOptions, 'transforms'> = {},
): Promise<readonly VerdictJson[]> {
  const { program, ...compilation } = compileJudged(text, { handlerTypes, properties, ...more }, true);
  if (program === undefined) throw new Error('the pipeline was judged to have no errors');
  const ofEach = Math.ceil(mostStates / Math.max(1, program.monitors.length));
  const verdicts = await checkProperties({ ...compilation, program }, { mostStates: ofEach });
  return verdicts.map(verdictToJson);
}
