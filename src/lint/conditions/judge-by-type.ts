import { asNumber, evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { Comparison, Operand } from '../../parser/condition/ast.js';
import type { Clause } from '../../parser/condition/print.js';
import type { ValueType } from '../../parser/key-list/ast.js';
import type { Alternative, Shape } from '../analysis/value-shape.js';
import { textOf } from './representatives.js';
import { scopeOf } from './variable.js';

/** Truth of a clause for all values that its key may have. */
export type Judgement = 'always' | 'never' | 'depends';

/**
 * Judges a clause that depends on one key only, and compares it with literals.
 * @param path of the key, as the clause has it
 */
export function judgeByType(clause: Clause, path: string, shape: Shape): Judgement {
  let judgement: Judgement | undefined;
  for (const alternative of shape.values()) {
    const ofAlternative = judgeAlternative(clause, path, alternative);
    if (ofAlternative === 'depends' || (judgement !== undefined && ofAlternative !== judgement))
      return 'depends';
    judgement = ofAlternative;
  }
  return judgement ?? 'depends';
}

function judgeAlternative(clause: Clause, path: string, alternative: Alternative): Judgement {
  switch (alternative.kind) {
    case 'missing':
      return judgeValue(clause, path, undefined);
    case 'constant':
      return judgeValue(clause, path, alternative.value);
    case 'present':
      return clause.kind === 'exists' ? 'always' : 'depends';
    case 'type':
      if (alternative.type.kind === 'boolean') return judgeAll(clause, path, [true, false]);
      if (alternative.type.kind === 'words') return judgeAll(clause, path, alternative.type.words);
      return judgeType(clause, alternative.type.kind);
  }
}

function judgeAll(clause: Clause, path: string, values: readonly JsonValue[]): Judgement {
  const [first = 'depends', ...others] = values.map((value) => judgeValue(clause, path, value));
  return others.every((other) => other === first) ? first : 'depends';
}

/** Judges by the engine's own evaluator. */
function judgeValue(clause: Clause, path: string, value: JsonValue | undefined): Judgement {
  return evaluateCondition(clause, scopeOf([[path, value]])) ? 'always' : 'never';
}

function judgeType(clause: Clause, kind: ValueType['kind']): Judgement {
  const isContainer = kind === 'list' || kind === 'map';
  switch (clause.kind) {
    case 'constant':
      return clause.value ? 'always' : 'never';
    case 'exists':
      return 'always';
    case 'truthy':
      // Even `[]` is a text that is not empty.
      return isContainer ? 'always' : 'depends';
    case 'comparison':
      return judgeComparison(clause, kind);
  }
}

function judgeComparison({ operator, left, right }: Comparison, kind: ValueType['kind']): Judgement {
  const isLeft = left.kind === 'key';
  const literal = isLeft ? right : left;
  switch (operator) {
    case '=':
      return canEqual(textOf(literal), kind) ? 'depends' : 'never';
    case '!=':
      return canEqual(textOf(literal), kind) ? 'depends' : 'always';
    case '<':
    case '<=':
    case '>':
    case '>=':
      return canBeOrdered(literal, kind) ? 'depends' : 'never';
    case 'in':
      return isLeft && !canBeMember(right, kind) ? 'never' : 'depends';
    case 'not in':
      return isLeft && !canBeMember(right, kind) ? 'always' : 'depends';
    case 'contains':
    case 'matches':
      return 'depends';
  }
}

/** True if some value of the type has this text. */
function canEqual(text: string, kind: ValueType['kind']): boolean {
  switch (kind) {
    case 'integer':
      return isNumber(text) && Number.isInteger(Number(text));
    case 'number':
      return isNumber(text);
    case 'list':
      return text.startsWith('[');
    case 'map':
      return text.startsWith('{');
    default:
      return true;
  }
}

/** True for a number as the engine prints it: no value of the run is `3.0` or `007`. */
function isNumber(text: string): boolean {
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text));
}

function canBeOrdered(literal: Operand, kind: ValueType['kind']): boolean {
  if (kind === 'list' || kind === 'map') return false;
  if (kind === 'string' || kind === 'any') return true;
  return literal.kind === 'literal' && asNumber(literal.value) !== undefined;
}

/** True if some value of the type is in a list of literals: numbers are compared by value, all else as texts. */
function canBeMember(literal: Operand, kind: ValueType['kind']): boolean {
  if (literal.kind !== 'list') return true;
  return literal.items.some((item) => {
    const text = textOf(item);
    const value = asNumber(text);
    if (kind === 'integer') return value !== undefined && Number.isInteger(value);
    return kind === 'number' ? value !== undefined : canEqual(text, kind);
  });
}
