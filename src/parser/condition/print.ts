import type { Comparison, Condition, LiteralOperand, Operand } from './ast.js';
import { isWord, readsAsKey, type Side } from './words.js';

/** Single clause: a constant, `exists key`, a bare operand or a comparison. */
export type Clause = Exclude<Condition, { readonly kind: 'or' | 'and' | 'not' }>;

/**
 * Canonical text of a condition (SEMANTICS §12): `=` and the other signs without blanks around them, as in
 * §10.6, and only necessary parentheses. Parsing it gives the same condition.
 * @param printLeaf prints a single clause; for readers who want to add something to it
 */
export function printCondition(
  condition: Condition,
  printLeaf: (clause: Clause) => string = printClause,
): string {
  switch (condition.kind) {
    case 'or':
    case 'and': {
      const sign = condition.kind === 'or' ? ' || ' : ' && ';
      return condition.operands
        .map((operand) => {
          const text = printCondition(operand, printLeaf);
          return operand.kind === 'or' || operand.kind === condition.kind ? `(${text})` : text;
        })
        .join(sign);
    }
    case 'not': {
      const text = printCondition(condition.operand, printLeaf);
      return readsAsOne(condition.operand) ? `!${text}` : `!(${text})`;
    }
    case 'constant':
    case 'exists':
    case 'truthy':
    case 'comparison':
      return printLeaf(condition);
  }
}

/** False for a comparison: `!outcome=fail` would be valid, but reads as if `outcome` were negated. */
function readsAsOne(operand: Condition): boolean {
  return operand.kind !== 'or' && operand.kind !== 'and' && operand.kind !== 'comparison';
}

export function printClause(clause: Clause): string {
  switch (clause.kind) {
    case 'constant':
      return String(clause.value);
    case 'exists':
      return `exists ${clause.key.path}`;
    case 'truthy':
      return printOperand(clause.operand, 'left');
    case 'comparison':
      return printComparison(clause);
  }
}

function printComparison({ operator, left, right }: Comparison): string {
  if (operator === '=' || operator === '!=') {
    const text = right.kind === 'literal' ? printEqualityLiteral(right) : printOperand(right, 'right');
    return `${printOperand(left, 'left')}${operator}${text}`;
  }
  const sign = /[a-z]/.test(operator) ? ` ${operator} ` : operator;
  return `${printOperand(left, 'left')}${sign}${printOperand(right, 'right')}`;
}

/** Prints the right side of `=`, where an unquoted text may have blanks and signs in it. */
function printEqualityLiteral(literal: LiteralOperand): string {
  const { value, quoted } = literal;
  const canBeBare = value !== '' && value.trim() === value && !/^=|["()\r\n]|&&|\|\|/.test(value);
  return quoted || !canBeBare ? quote(value) : value;
}

function printOperand(operand: Operand, side: Side): string {
  switch (operand.kind) {
    case 'key':
      return operand.path;
    case 'literal': {
      const { value, quoted } = operand;
      return quoted || !isWord(value) || readsAsKey(value, side) ? quote(value) : value;
    }
    case 'list':
      return `[${operand.items.map((item) => printOperand(item, 'right')).join(', ')}]`;
  }
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
