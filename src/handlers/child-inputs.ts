import type { JsonValue } from '../graph/json.js';
import { parametersOf } from '../graph/parameters.js';
import { renderTemplate } from '../machine/render-template.js';
import type { Stage } from './handler.js';
import { valueForStage } from './stage-values.js';

/**
 * Inputs of a stage for its child: its `params.<key>` attributes with current values (§9.4). An attribute
 * that is a single value keeps its type.
 * @throws StageCrash under strict values, if one is missing
 */
export function inputsOfChild(stage: Stage): Readonly<Record<string, JsonValue>> {
  const inputs = parametersOf(stage.node).map(({ name, value }): [string, JsonValue] => [
    name,
    typeof value === 'object' ? renderTemplate(value, (path) => valueForStage(stage, path)) : value,
  ]);
  return Object.fromEntries(inputs);
}
