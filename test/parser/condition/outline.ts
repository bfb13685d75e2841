import type { Condition, Operand } from '../../../src/parser/condition/ast.js';

/** A condition as a list in prefix notation: keys as they are, unquoted literals in `'`, quoted ones in `"`. */
export function outline(condition: Condition | undefined): string {
  if (condition === undefined) return 'nothing';
  switch (condition.kind) {
    case 'or':
    case 'and':
      return `(${condition.kind} ${condition.operands.map(outline).join(' ')})`;
    case 'not':
      return `(not ${outline(condition.operand)})`;
    case 'constant':
      return String(condition.value);
    case 'exists':
      return `(exists ${condition.key.path})`;
    case 'truthy':
      return `(truthy ${outlineOperand(condition.operand)})`;
    case 'comparison':
      return `(${condition.operator} ${outlineOperand(condition.left)} ${outlineOperand(condition.right)})`;
  }
}

function outlineOperand(operand: Operand): string {
  switch (operand.kind) {
    case 'key':
      return operand.path;
    case 'literal':
      return operand.quoted ? `"${operand.value}"` : `'${operand.value}'`;
    case 'list':
      return `[${operand.items.map(outlineOperand).join(' ')}]`;
  }
}
