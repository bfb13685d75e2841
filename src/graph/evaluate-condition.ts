import type { Comparison, Condition, KeyOperand, Operand } from '../parser/condition/ast.js';
import { compilePattern, patternOf } from '../parser/condition/pattern.js';
import { type Clause, printClause, printCondition } from '../parser/condition/print.js';
import type { JsonValue } from './json.js';
import { isList, isPresent, type KeyScope, lookUp, textOfValue } from './look-up.js';
import { type UnreadableValue, unreadableValue } from './unreadable-value.js';

/** Values that a condition can read (§10.3, §10.4). */
export interface ConditionScope extends KeyScope {
  /** The status that routes: `success`, `fail`, … */
  readonly outcome: string;
  /** The label of the outcome itself, not the one kept in the context (SEMANTICS 69). */
  readonly preferredLabel: string;
}

/** True if an edge's condition holds (§10.5, SEMANTICS §12). Total: it never throws, whatever the context. */
export function evaluateCondition(condition: Condition, scope: ConditionScope): boolean {
  return judgeCondition(condition, scope) === true;
}

/**
 * Judges like `evaluateCondition`, or returns the value on which the condition depends and of which the
 * context has only a part (SEMANTICS 110).
 */
export function judgeCondition(condition: Condition, scope: ConditionScope): boolean | UnreadableValue {
  switch (condition.kind) {
    case 'or':
      return judgeAll(condition.operands, scope, true);
    case 'and':
      return judgeAll(condition.operands, scope, false);
    case 'not': {
      const operandResult = judgeCondition(condition.operand, scope);
      return typeof operandResult === 'boolean' ? !operandResult : operandResult;
    }
    case 'constant':
      return condition.value;
    case 'exists':
      return isPresent(resolveKey(condition.key.path, scope));
    case 'truthy':
      return (
        firstUnreadable(condition, scope) ?? isTruthy(textOfValue(operandValue(condition.operand, scope)))
      );
    case 'comparison':
      return firstUnreadable(condition, scope) ?? compare(condition, scope);
  }
}

/** @param decidingValue result of an operand that decides, whatever the others are */
function judgeAll(
  operands: readonly Condition[],
  scope: ConditionScope,
  decidingValue: boolean,
): boolean | UnreadableValue {
  let open: UnreadableValue | undefined;
  for (const operand of operands) {
    const operandResult = judgeCondition(operand, scope);
    if (operandResult === decidingValue) return decidingValue;
    if (typeof operandResult !== 'boolean') open ??= operandResult;
  }
  return open ?? !decidingValue;
}

function firstUnreadable(clause: Clause, scope: ConditionScope): UnreadableValue | undefined {
  switch (clause.kind) {
    case 'truthy':
      return unreadableOperand(clause.operand, scope);
    case 'comparison':
      return unreadableOperand(clause.left, scope) ?? unreadableOperand(clause.right, scope);
    default:
      return undefined;
  }
}

function unreadableOperand(operand: Operand, scope: ConditionScope): UnreadableValue | undefined {
  switch (operand.kind) {
    case 'literal':
      return undefined;
    case 'key': {
      const { path } = operand;
      if (path === 'outcome' || path === 'preferred_label') return undefined;
      return unreadableValue(path, lookUp(path, scope), scope);
    }
    case 'list':
      for (const item of operand.items) {
        const unreadable = unreadableOperand(item, scope);
        if (unreadable !== undefined) return unreadable;
      }
      return undefined;
  }
}

/** Value of a key in a condition: the outcome's own, or one that is looked up (§10.4, SEMANTICS 44c). */
export function resolveKey(key: string, scope: ConditionScope): JsonValue | undefined {
  if (key === 'outcome') return scope.outcome;
  if (key === 'preferred_label') return scope.preferredLabel;
  return lookUp(key, scope);
}

/** True if a bare operand holds (SEMANTICS 44b). */
function isTruthy(text: string): boolean {
  return text !== '' && text !== 'false' && text !== '0';
}

function operandValue(operand: Operand, scope: ConditionScope): JsonValue | undefined {
  switch (operand.kind) {
    case 'key':
      return resolveKey(operand.path, scope);
    case 'literal':
      return operand.value;
    case 'list':
      return operand.items.map((item) => operandValue(item, scope)).filter(isPresent);
  }
}

function compare(comparison: Comparison, scope: ConditionScope): boolean {
  const left = operandValue(comparison.left, scope);
  const right = operandValue(comparison.right, scope);
  switch (comparison.operator) {
    case '=':
      return textOfValue(left) === textOfValue(right);
    case '!=':
      return textOfValue(left) !== textOfValue(right);
    case 'not in':
      return !contains(right, left);
    case 'in':
      return contains(right, left);
    case 'contains':
      return contains(left, right);
    case 'matches':
      return isPresent(left) && matches(textOfValue(left), comparison.right, right);
    case '<':
      return holdsOrder(comparison, left, right, (order) => order < 0);
    case '<=':
      return holdsOrder(comparison, left, right, (order) => order <= 0);
    case '>':
      return holdsOrder(comparison, left, right, (order) => order > 0);
    case '>=':
      return holdsOrder(comparison, left, right, (order) => order >= 0);
  }
}

/**
 * Membership in a list; any other container is searched as a text. `in` is the same with the sides swapped.
 */
function contains(container: JsonValue | undefined, item: JsonValue | undefined): boolean {
  if (!isPresent(container) || !isPresent(item)) return false;
  if (isList(container)) return container.some((member) => isPresent(member) && sameMember(member, item));
  return textOfValue(container).includes(textOfValue(item));
}

/** Compares as numbers if both are, else as texts: `1` is in `["1.0"]`. */
function sameMember(a: JsonValue, b: JsonValue): boolean {
  const [first, second] = [asNumber(a), asNumber(b)];
  return first !== undefined && second !== undefined ? first === second : textOfValue(a) === textOfValue(b);
}

function matches(subject: string, operand: Operand, value: JsonValue | undefined): boolean {
  if (!isPresent(value)) return false;
  const result = operand.kind === 'literal' ? patternOf(operand) : compilePattern(textOfValue(value));
  return result.kind === 'pattern' && result.pattern.test(subject);
}

/**
 * Compares numbers by value, two texts by code units; other values have no order, so that every comparison
 * of them is false.
 */
function holdsOrder(
  comparison: Comparison,
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  holds: (order: number) => boolean,
): boolean {
  const [first, second] = [asNumber(left), asNumber(right)];
  if (first !== undefined && second !== undefined) return holds(order(first, second));
  const areTexts = isText(comparison.left, left) && isText(comparison.right, right);
  return areTexts && holds(order(String(left), String(right)));
}

function order<Value extends number | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * True for a text. An unquoted number in a condition is a number, even though its literal keeps its
 * spelling.
 */
function isText(operand: Operand, value: JsonValue | undefined): boolean {
  const isNumber = operand.kind === 'literal' && !operand.quoted && asNumber(operand.value) !== undefined;
  return typeof value === 'string' && !isNumber;
}

/**
 * Number, or a text that spells one, with blanks around it allowed (a tool's output ends in a line break).
 */
export function asNumber(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

/** Condition with the current values, for the message that no edge is eligible (SEMANTICS 22). */
export function explainCondition(condition: Condition, scope: ConditionScope): string {
  return printCondition(condition, (clause) => {
    const seen = [...new Set(keysOf(clause).map((key) => key.path))].map(
      (path) => `${path} is ${shown(resolveKey(path, scope))}`,
    );
    return seen.length === 0 ? printClause(clause) : `${printClause(clause)} (${seen.join(', ')})`;
  });
}

/** Keys that a clause looks up. */
export function keysOf(clause: Clause): readonly KeyOperand[] {
  switch (clause.kind) {
    case 'constant':
      return [];
    case 'exists':
      return [clause.key];
    case 'truthy':
      return keysOfOperand(clause.operand);
    case 'comparison':
      return [...keysOfOperand(clause.left), ...keysOfOperand(clause.right)];
  }
}

function keysOfOperand(operand: Operand): readonly KeyOperand[] {
  switch (operand.kind) {
    case 'key':
      return [operand];
    case 'literal':
      return [];
    case 'list':
      return operand.items.flatMap(keysOfOperand);
  }
}

const shownLength = 80;

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}… (${text.length} characters)`;
}
