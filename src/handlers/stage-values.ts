import type { JsonValue } from '../graph/json.js';
import { type KeyScope, lookUp } from '../graph/look-up.js';
import type { Template } from '../graph/templates.js';
import { renderText } from '../machine/render-template.js';
import { simulatedItem } from './foreach-items.js';
import { type Stage, StageCrash } from './handler.js';

/** Part of a stage on which its values depend. */
export type StageOfValues = Pick<
  Stage,
  'node' | 'context' | 'result' | 'resultNode' | 'stages' | 'strictValues' | 'log'
>;

/**
 * Renders a text with the values of its `${path}` when the stage runs (SEMANTICS §12 "Values at run time").
 * @throws StageCrash under strict values, if one is missing
 */
export function renderForStage(stage: StageOfValues, template: Template | string): string {
  const values = new Map<string, JsonValue>();
  return renderText(template, (path) => {
    const value = values.get(path) ?? valueForStage(stage, path);
    values.set(path, value);
    return value;
  });
}

/**
 * Value of a path such as `context.plan`, `inputs.city` or `result.notes`. A missing value is logged and
 * becomes an empty text.
 * @throws StageCrash under strict values, if it is missing
 */
export function valueForStage(stage: StageOfValues, path: string): JsonValue {
  const { result, resultNode, stages, context } = stage;
  const scope: KeyScope = { result, resultNode, stages, lookup: (key) => context.get(key) };
  return readValue(stage, path, scope, 'an empty text') ?? '';
}

/**
 * Value of a path in a scope; undefined for a missing one, which is logged.
 * @param instead what the caller uses in its place
 * @throws StageCrash under strict values, if it is missing
 */
export function readValue(
  stage: Pick<StageOfValues, 'node' | 'strictValues' | 'log'>,
  path: string,
  scope: KeyScope,
  instead: string,
): JsonValue | undefined {
  const value = lookUp(path, scope);
  if (value !== undefined) return value;
  if (isBelowSimulatedItem(path, scope)) return undefined;
  const what = `"\${${path}}" of "${stage.node.id}" has no value`;
  if (stage.strictValues) {
    const reason = `${what}, and missing values are errors (--strict-values): set it in an earlier stage, or pass it with --set`;
    throw new StageCrash(reason, { retryable: false });
  }
  stage.log('warning', `${what}; ${instead} is used instead`);
  return undefined;
}

/** True for a path into the item that a simulation has instead of a list: there is nothing to warn of. */
function isBelowSimulatedItem(path: string, scope: KeyScope): boolean {
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1))
    if (lookUp(path.slice(0, dot), scope) === simulatedItem) return true;
  return false;
}
