import type { JsonValue } from '../graph/json.js';
import { parametersOf } from '../graph/parameters.js';
import { renderTemplate } from '../machine/render-template.js';
import type { Stage } from './handler.js';
import { valueForStage } from './stage-values.js';

/**
 * What a stage gives its child as inputs: its `params.<key>` attributes with the values of the moment in place (§9.4). One
 * that is a single value keeps its type.
 * @throws StageCrash under strict values, where one is missing
 */
export function inputsOfChild(stage: Stage): Readonly<Record<string, JsonValue>> {
  const inputs = parametersOf(stage.node).map(({ name, value }): [string, JsonValue] => [
    name,
    typeof value === 'object' ? renderTemplate(value, (path) => valueForStage(stage, path)) : value,
  ]);
  return Object.fromEntries(inputs);
}
