import { type PythonExpression, parsePython } from './python.js';

export interface TranslatedExpression {
  readonly condition: string;
  /** Set if a name is nowhere defined, which makes the expression false in Hive. */
  readonly undefinedName?: string;
}

/**
 * Condition for an expression of Python; undefined for one that this language cannot say.
 * @param keys keys that the nodes of the graph read or write
 */
export function translateExpression(
  expression: string,
  keys: ReadonlySet<string>,
): TranslatedExpression | undefined {
  const parsed = parsePython(expression);
  if (parsed === undefined) return undefined;
  const undefinedName = namesOf(parsed).find((name) => !keys.has(name) && !scopes.has(name));
  if (undefinedName !== undefined) return { condition: 'false', undefinedName };
  const condition = conditionOf(parsed);
  return condition === undefined ? undefined : { condition };
}

/** Names of Hive for all that a node or the run has set. */
const scopes: ReadonlySet<string> = new Set(['output', 'result', 'memory', 'context', 'inputs']);

function namesOf(expression: PythonExpression): readonly string[] {
  switch (expression.kind) {
    case 'name':
      return [expression.name];
    case 'literal':
      return [];
    case 'list':
      return expression.items.flatMap(namesOf);
    case 'call':
      return [
        ...(expression.of === undefined ? [] : namesOf(expression.of)),
        ...expression.items.flatMap(namesOf),
      ];
    case 'item':
      return [...namesOf(expression.of), ...namesOf(expression.key)];
    case 'not':
      return namesOf(expression.operand);
    case 'and':
    case 'or':
      return expression.operands.flatMap(namesOf);
    case 'comparison':
      return [...namesOf(expression.left), ...namesOf(expression.right)];
  }
}

function conditionOf(expression: PythonExpression): string | undefined {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const parts = expression.operands.map((operand) => {
        const text = conditionOf(operand);
        return text?.includes('||') || (text?.includes('&&') && expression.kind === 'or')
          ? `(${text})`
          : text;
      });
      return parts.includes(undefined) ? undefined : parts.join(expression.kind === 'and' ? ' && ' : ' || ');
    }
    case 'not': {
      const text = conditionOf(expression.operand);
      return text && `!(${text})`;
    }
    case 'comparison':
      return comparisonOf(expression);
    case 'literal':
      return String(Boolean(expression.value));
    case 'name':
    case 'item':
    case 'call':
      return keyOf(expression)?.key;
    case 'list':
      return undefined;
  }
}

interface Key {
  readonly key: string;
  /** True if it is compared in lower case. */
  readonly isLower: boolean;
}

/** Key that a value reads: `str(x).lower()`, `int(x)`, `output.get('x')`, `output['x']`. */
function keyOf(expression: PythonExpression): Key | undefined {
  switch (expression.kind) {
    case 'name':
      return { key: `context.${expression.name}`, isLower: false };
    case 'item':
      return memberOf(expression.of, expression.key);
    case 'call': {
      const { name, of, items } = expression;
      if (of === undefined) {
        const [only] = items;
        return only !== undefined && items.length === 1 && conversions.has(name) ? keyOf(only) : undefined;
      }
      if (name === 'get' && items[0] !== undefined) return memberOf(of, items[0]);
      if (name === 'strip' && items.length === 0) return keyOf(of);
      const inner = name === 'lower' && items.length === 0 ? keyOf(of) : undefined;
      return inner && { ...inner, isLower: true };
    }
    case 'literal':
    case 'list':
    case 'not':
    case 'and':
    case 'or':
    case 'comparison':
      return undefined;
  }
}

const conversions: ReadonlySet<string> = new Set(['str', 'int', 'float', 'bool']);

function memberOf(of: PythonExpression, key: PythonExpression): Key | undefined {
  if (key.kind !== 'literal' || !/^\w+$/.test(String(key.value))) return undefined;
  const path = of.kind === 'name' && scopes.has(of.name) ? 'context' : keyOf(of)?.key;
  return path === undefined ? undefined : { key: `${path}.${key.value}`, isLower: false };
}

function comparisonOf({
  operator,
  left,
  right,
}: Extract<PythonExpression, { kind: 'comparison' }>): string | undefined {
  const key = keyOf(left);
  if (key === undefined) {
    const inside = keyOf(right);
    if (operator === 'in' && inside !== undefined && left.kind === 'literal')
      return `${inside.key} contains ${literal(left.value)}`;
    const turned = mirrored.get(operator);
    return inside === undefined || turned === undefined || left.kind !== 'literal'
      ? undefined
      : comparisonOf({ kind: 'comparison', operator: turned, left: right, right: left });
  }
  if (operator === 'in' || operator === 'not in') {
    if (right.kind !== 'list') return undefined;
    const [sign, join] = operator === 'in' ? ['==', ' || '] : ['!=', ' && '];
    const parts = right.items.map((item) => compared(key, sign, item));
    const text = parts.join(join);
    return parts.includes(undefined) || parts.length === 0
      ? undefined
      : parts.length > 1 && operator === 'in'
        ? `(${text})`
        : text;
  }
  return compared(key, operator, right);
}

const mirrored: ReadonlyMap<string, string> = new Map([
  ['==', '=='],
  ['!=', '!='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);

function compared({ key, isLower }: Key, operator: string, right: PythonExpression): string | undefined {
  const other = keyOf(right);
  if (other !== undefined) {
    const sign = operator === '==' ? '=' : operator;
    return operator.startsWith('is') ? undefined : `${key} ${sign} ${other.key}`;
  }
  if (right.kind !== 'literal') return undefined;
  const { value } = right;
  if (value === null) return operator === '==' || operator === 'is' ? `!(exists ${key})` : `exists ${key}`;
  const isEqual = operator === '==' || operator === 'is';
  const isUnequal = operator === '!=' || operator === 'is not';
  if (!isEqual && !isUnequal) return `${key} ${operator} ${literal(value)}`;
  const [sign, join] = isEqual ? ['=', ' || '] : ['!=', ' && '];
  const spellings = isLower && typeof value === 'string' ? spellingsOf(value) : [value];
  const text = spellings.map((one) => `${key} ${sign} ${literal(one)}`).join(join);
  return spellings.length > 1 && isEqual ? `(${text})` : text;
}

/** Spellings of a word that is compared in lower case: conditions here compare letters as they are. */
function spellingsOf(word: string): readonly string[] {
  return [...new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])];
}

function literal(value: string | number | boolean | null): string {
  const text = String(value);
  return typeof value !== 'string' || /^[A-Za-z_][\w-]*$/.test(text)
    ? text
    : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
