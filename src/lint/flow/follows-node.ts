import type { ProgramNode } from '../../graph/program.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import type { Condition } from '../../parser/condition/ast.js';
import { flatKey } from '../conditions/variable.js';
import type { FlowKeys } from './flow-keys.js';

/**
 * False for a node whose route depends on what a search does not follow.
 * @param isFree true if what is not followed is taken in every way
 */
export function followsNode(
  { edges, ownRules, parallel }: ProgramNode,
  keys: FlowKeys,
  isFree = false,
): boolean {
  // Conditions on the edges of a parallel node do not count (SEMANTICS 44j).
  const tested = parallel === undefined ? edges : [];
  if (tested.some(({ condition, conditionText }) => !condition && conditionText !== '')) return false;
  if (isFree) return true;
  const follows = (condition: Condition | undefined): boolean =>
    condition === undefined || keys.isFollowed(condition);
  if (!tested.every(({ condition }) => follows(condition))) return false;
  if (ownRules === undefined) return true;
  return (
    follows(ownRules.failWhen) &&
    ownRules.assignments.every(({ key, value }) => !keys.values.has(key) || isKnown(value, keys))
  );
}

function isKnown(value: ValueTemplate, keys: FlowKeys): boolean {
  if (value.kind === 'constant') return true;
  if (value.kind !== 'text') return false;
  return value.template.parts.every(
    (part) => part.kind !== 'value' || (keys.values.has(flatKey(part.path)) && !isCounted(part.path)),
  );
}

/** True for a number that is kept only up to where conditions tell it apart. */
function isCounted(path: string): boolean {
  return /^(?:context\.|state\.)?(?:stages\.\w+\.visits|internal\.(?:retry_count\.\w+|restart_count))$/.test(
    path,
  );
}
