import type { Comparison, Condition, Operand } from '../parser/condition/ast.js';

/** What is known of a condition before the run: that it holds, that it does not, or nothing. */
export type Verdict = 'always' | 'never' | 'maybe';

/** Whether a condition holds of a stage with this outcome, whatever the context has (§10.3, SEMANTICS §12). */
export function holdsUnder(condition: Condition, outcome: string): Verdict {
  switch (condition.kind) {
    case 'constant':
      return verdict(condition.value);
    case 'not':
      return opposite(holdsUnder(condition.operand, outcome));
    case 'or':
      return opposite(allOf(condition.operands.map((operand) => opposite(holdsUnder(operand, outcome)))));
    case 'and':
      return allOf(condition.operands.map((operand) => holdsUnder(operand, outcome)));
    case 'exists':
      return condition.key.path === 'outcome' ? 'always' : 'maybe';
    case 'truthy':
      return isOutcome(condition.operand) ? 'always' : 'maybe';
    case 'comparison':
      return compare(condition, outcome);
  }
}

function allOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('never')) return 'never';
  return verdicts.includes('maybe') ? 'maybe' : 'always';
}

function opposite(one: Verdict): Verdict {
  if (one === 'maybe') return 'maybe';
  return one === 'always' ? 'never' : 'always';
}

function verdict(holds: boolean): Verdict {
  return holds ? 'always' : 'never';
}

function isOutcome(operand: Operand): boolean {
  return operand.kind === 'key' && operand.path === 'outcome';
}

function compare({ operator, left, right }: Comparison, outcome: string): Verdict {
  if (!isOutcome(left)) return 'maybe';
  const items = right.kind === 'list' ? right.items : [right];
  const words = items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
  if (words.length < items.length) return 'maybe';
  switch (operator) {
    case '=':
      return right.kind === 'list' ? 'maybe' : verdict(words.includes(outcome));
    case '!=':
      return right.kind === 'list' ? 'maybe' : verdict(!words.includes(outcome));
    case 'in':
      return right.kind === 'list' ? verdict(words.includes(outcome)) : 'maybe';
    case 'not in':
      return right.kind === 'list' ? verdict(!words.includes(outcome)) : 'maybe';
    case 'contains':
    case 'matches':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return 'maybe';
  }
}
