import { stageStatuses } from '../graph/stage-status.js';
import type { Condition, LiteralOperand } from '../parser/condition/ast.js';
import { clausesOf } from '../parser/condition/clauses-of.js';
import type { Clause } from '../parser/condition/print.js';

const outcomes: ReadonlySet<string> = new Set(stageStatuses);

/**
 * Words that a condition compares an outcome with and that are never an outcome (SEMANTICS 44g), anywhere in
 * it.
 */
export function strayOutcomes(condition: Condition): readonly LiteralOperand[] {
  return clausesOf(condition)
    .flatMap(comparedOutcomes)
    .filter(({ value }) => !outcomes.has(value));
}

function comparedOutcomes(clause: Clause): readonly LiteralOperand[] {
  if (clause.kind !== 'comparison') return [];
  const { operator, left, right } = clause;
  const comparesWhole = operator === '=' || operator === '!=' || operator === 'in' || operator === 'not in';
  if (!comparesWhole || left.kind !== 'key' || !isOutcome(left.path)) return [];
  const operands = right.kind === 'list' ? right.items : [right];
  return operands.filter((operand) => operand.kind === 'literal');
}

/** True for the paths of an outcome: that of the stage before, and of a stage by its name (SEMANTICS 104, 114). */
function isOutcome(path: string): boolean {
  return (
    path === 'outcome' ||
    /^(?:(?:context\.|state\.)?stages\.[^.]+\.outcome|result\.(?:outcome|status))$/.test(path)
  );
}
