import { asNumber } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import { type StageStatus, stageStatuses } from '../../graph/stage-status.js';
import { isAuthorsKey } from '../../graph/values/handler-keys.js';
import type {
  Comparison,
  Condition,
  KeyOperand,
  LiteralOperand,
  Operand,
} from '../../parser/condition/ast.js';
import { compilePattern } from '../../parser/condition/pattern.js';
import { fitsType } from '../../parser/key-list/value-type.js';

/** Parts of an outcome that make a condition true, or false. */
export interface WishedOutcome {
  readonly status: StageStatus;
  /** Custom outcome, for runs that allow them. */
  readonly custom_outcome: string | undefined;
  readonly preferred_label: string | undefined;
  readonly context_updates: Readonly<Record<string, JsonValue>>;
}

/** What a condition reads, by path: `outcome`, `preferred_label`, `context.score`. */
type Demand = ReadonlyMap<string, JsonValue>;

/** Alternatives beyond which a condition is not looked at further. */
const mostAlternatives = 16;

/**
 * Outcomes of a stage that could make a condition true, or false; whoever asks must judge them, because a condition may read
 * more than a stage can say.
 */
export function wishedOutcomes(
  condition: Condition,
  value: boolean,
  node: ProgramNode,
): readonly WishedOutcome[] {
  return demandsOf(condition, value).flatMap((demand) => outcomeOf(demand, node) ?? []);
}

function demandsOf(condition: Condition, value: boolean): readonly Demand[] {
  switch (condition.kind) {
    case 'or':
    case 'and': {
      const each = condition.operands.map((operand) => demandsOf(operand, value));
      return (condition.kind === 'and') === value ? together(each) : each.flat().slice(0, mostAlternatives);
    }
    case 'not':
      return demandsOf(condition.operand, !value);
    case 'constant':
      return condition.value === value ? [new Map()] : [];
    case 'exists':
      return [value ? demand(condition.key, 'set') : new Map()];
    case 'truthy':
      return condition.operand.kind === 'key' ? [demand(condition.operand, value)] : [];
    case 'comparison':
      return comparisonDemands(condition, value);
  }
}

/** One alternative of each, without those that contradict each other. */
function together(each: readonly (readonly Demand[])[]): readonly Demand[] {
  let merged: readonly Demand[] = [new Map()];
  for (const alternatives of each)
    merged = merged
      .flatMap((one) => alternatives.flatMap((other) => merge(one, other) ?? []))
      .slice(0, mostAlternatives);
  return merged;
}

function merge(one: Demand, other: Demand): Demand | undefined {
  const merged = new Map(one);
  for (const [path, value] of other) {
    if (merged.has(path) && merged.get(path) !== value) return undefined;
    merged.set(path, value);
  }
  return merged;
}

function demand({ path }: KeyOperand, value: JsonValue): Demand {
  return new Map([[path.replace(/^(?:context|state)\./, ''), value]]);
}

function comparisonDemands({ operator, left, right }: Comparison, value: boolean): readonly Demand[] {
  if (left.kind === 'key') return sideDemands(operator, left, right, value);
  return right.kind === 'key' ? sideDemands(mirrored[operator] ?? operator, right, left, value) : [];
}

const mirrored: Readonly<Partial<Record<Comparison['operator'], Comparison['operator']>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function sideDemands(
  operator: Comparison['operator'],
  key: KeyOperand,
  other: Operand,
  value: boolean,
): readonly Demand[] {
  const literals = other.kind === 'list' ? other.items : [other];
  const known = literals.filter((one): one is LiteralOperand => one.kind === 'literal');
  if (known.length === 0) return [];
  return valuesFor(operator, known, value).map((one) => demand(key, one));
}

/** Values for which a comparison with literals has a truth value. */
function valuesFor(
  operator: Comparison['operator'],
  literals: readonly LiteralOperand[],
  value: boolean,
): readonly JsonValue[] {
  const [first] = literals;
  if (first === undefined) return [];
  switch (operator) {
    case '=':
    case 'in':
      return value ? literals.map(literalValue) : [differentFrom(literals)];
    case '!=':
    case 'not in':
      return value ? [differentFrom(literals)] : literals.map(literalValue);
    case 'contains':
      return [value ? first.value : differentFrom(literals)];
    case 'matches':
      return value ? textsMatching(first.value) : [differentFrom(literals)];
    case '<':
    case '>=':
      return numbersAround(first, (operator === '<') === value ? -1 : 0);
    case '<=':
    case '>':
      return numbersAround(first, (operator === '>') === value ? 1 : 0);
  }
}

function numbersAround({ value }: LiteralOperand, step: number): readonly JsonValue[] {
  const bound = asNumber(value);
  return bound === undefined ? [] : [bound + step];
}

function literalValue({ value, quoted }: LiteralOperand): JsonValue {
  if (quoted) return value;
  if (value === 'true' || value === 'false') return value === 'true';
  const number = asNumber(value);
  return number !== undefined && String(number) === value ? number : value;
}

function differentFrom(literals: readonly LiteralOperand[]): JsonValue {
  const [first] = literals;
  const own = first === undefined ? '' : literalValue(first);
  if (typeof own === 'boolean' && literals.length === 1) return !own;
  if (typeof own === 'number') {
    const largest = Math.max(...literals.map(({ value }) => asNumber(value) ?? 0));
    return largest + 1;
  }
  const taken = literals.map(({ value }) => value);
  let word = 'other';
  while (taken.some((one) => word.includes(one) && one !== ''))
    word = `${word.charAt(0) === 'x' ? '' : 'x'}${word}x`.slice(0, 40);
  return word;
}

/** Texts that are found by simple patterns: one of their alternatives, without what only marks places. */
function textsMatching(pattern: string): readonly string[] {
  const compiled = compilePattern(pattern);
  if (compiled.kind !== 'pattern') return [];
  const plain = pattern.replace(/^\(\?\w+\)/, '').replaceAll(/\\b|\^|\$/g, '');
  const texts = plain.split('|').map((part) =>
    part
      .replaceAll(/[()]/g, '')
      .replaceAll(/\[([^\]^-])[^\]]*\]/g, '$1')
      .replaceAll(/\\d/g, '1')
      .replaceAll(/\\s/g, ' ')
      .replaceAll(/\\(.)/g, '$1')
      .replaceAll(/\.[*+?]/g, '')
      .replaceAll(/[*+?]/g, ''),
  );
  return texts.filter((text) => compiled.pattern.test(text)).slice(0, 1);
}

/** The outcome that a stage has to report for it; undefined if such a stage cannot. */
function outcomeOf(demanded: Demand, node: ProgramNode): WishedOutcome | undefined {
  let status: StageStatus = 'success';
  let custom: string | undefined;
  let label: string | undefined;
  const updates = new Map<string, JsonValue>();
  for (const [path, value] of demanded) {
    if (path === 'outcome') {
      const known = stageStatuses.find((one) => one === value);
      if (known === undefined) custom = String(value);
      else status = known;
    } else if (path === 'preferred_label') label = String(value);
    else if (path === 'tool.exit_code' && node.handler.type === 'tool') {
      if (typeof value !== 'number') return undefined;
      updates.set(path, value);
      if (value !== 0) status = 'fail';
    } else if (!addUpdate(updates, path, value, node)) return undefined;
  }
  const writes = node.ownRules?.writes ?? [];
  for (const { key, type } of writes) {
    const value = updates.get(key);
    if (value !== undefined && !fitsType(type, value)) {
      const instead =
        type?.kind === 'words' ? type.words.find((word) => word !== demanded.get(key)) : undefined;
      if (instead === undefined) return undefined;
      updates.set(key, instead);
    }
  }
  return {
    status,
    custom_outcome: custom,
    preferred_label: label,
    context_updates: Object.fromEntries(updates),
  };
}

/** Adds the value of a key that the stage can set. */
function addUpdate(
  updates: Map<string, JsonValue>,
  path: string,
  value: JsonValue,
  node: ProgramNode,
): boolean {
  const isTool = node.handler.type === 'tool';
  if (path === 'tool.output' || path === 'tool.last_line') {
    if (!isTool) return false;
    updates.set('tool.output', String(value));
    updates.set('tool.last_line', String(value));
    return true;
  }
  if (path === 'tool.stderr' && isTool) {
    updates.set(path, String(value));
    return true;
  }
  if (path.startsWith('tool.json.') && isTool) {
    const inner = withMember(updates.get('tool.json'), path.slice('tool.json.'.length).split('.'), value);
    updates.set('tool.json', inner);
    return true;
  }
  if (!isAuthorsKey(path) || path.includes('*')) return false;
  // A stage that declares what it writes sets no other keys (SEMANTICS 103).
  const writes = node.ownRules?.writes ?? [];
  if (writes.length > 0 && !writes.some(({ key }) => key === path)) return false;
  updates.set(path, value);
  return true;
}

function withMember(before: JsonValue | undefined, path: readonly string[], value: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
  const inner: JsonValue | undefined = Object.hasOwn(object, key)
    ? (object as Readonly<Record<string, JsonValue>>)[key]
    : undefined;
  return { ...object, [key]: withMember(inner, rest, value) };
}
