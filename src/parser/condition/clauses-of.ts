import type { Condition } from './ast.js';
import type { Clause } from './print.js';

/** Clauses of a condition in the order of its text, regardless of operators between them (§10.2). */
export function clausesOf(condition: Condition): readonly Clause[] {
  const clauses: Clause[] = [];
  const open: Condition[] = [condition];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    switch (next.kind) {
      case 'or':
      case 'and':
        open.push(...next.operands.toReversed());
        break;
      case 'not':
        open.push(next.operand);
        break;
      case 'constant':
      case 'exists':
      case 'truthy':
      case 'comparison':
        clauses.push(next);
        break;
    }
  }
  return clauses;
}
