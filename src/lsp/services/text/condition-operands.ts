import type { Condition, KeyOperand, Operand } from '../../../parser/condition/ast.js';

/** Keys that a condition looks up, in the order of the text. */
export function keysInCondition(condition: Condition): readonly KeyOperand[] {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return condition.operands.flatMap(keysInCondition);
    case 'not':
      return keysInCondition(condition.operand);
    case 'constant':
      return [];
    case 'exists':
      return [condition.key];
    case 'truthy':
      return keysIn(condition.operand);
    case 'comparison':
      return [...keysIn(condition.left), ...keysIn(condition.right)];
  }
}

function keysIn(operand: Operand): readonly KeyOperand[] {
  if (operand.kind === 'key') return [operand];
  return operand.kind === 'list' ? operand.items.flatMap(keysIn) : [];
}
