import { asNumber } from '../../graph/evaluate-condition.js';
import { textOfValue } from '../../graph/look-up.js';
import type { Comparison, Operand } from '../../parser/condition/ast.js';
import type { Atom, VariableName } from './formula.js';
import { numbersBetween } from './numbers-between.js';
import { type Certainty, classify, type Draft, type Variable } from './variable.js';

/**
 * Possible values of a variable at a node: any that a context can hold, any text, one of some texts, a
 * whole number from 0 up to a limit, or a count, which may be missing.
 */
export type Range =
  | { readonly kind: 'any' }
  | { readonly kind: 'text' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'integer'; readonly highest: number }
  | { readonly kind: 'count' };

/**
 * Variable with representatives of all its values: every literal that it is compared with, another text, a
 * missing value, the mentioned numbers and those between them, texts with and without the searched parts,
 * and lists of them. Undefined if they would be too many.
 * @param rangeFor possible values, given the texts that it is compared with
 */
export function representatives(
  name: VariableName,
  atoms: readonly Atom[],
  rangeFor: (literals: readonly string[]) => Range,
): Variable | undefined {
  if (name.kind === 'clause') return classify(name, atoms, [], unknownTruth(atoms));
  const literals = [...new Set(atoms.flatMap(literalsOf))];
  const range = rangeFor(literals);
  switch (range.kind) {
    case 'words': {
      const words = range.words.map((value): Draft => ({ value, role: 'literal', certainty: 'mentioned' }));
      return classify(name, atoms, literals, words, true);
    }
    case 'integer': {
      const values = integers(literals, range.highest);
      const drafts = values.map((value): Draft => ({ value, role: 'number', certainty: 'mentioned' }));
      return classify(name, atoms, literals, drafts, true);
    }
    case 'count':
    case 'text':
    case 'any': {
      const searched = searchedTexts(atoms);
      if (searched.length > maximumSearched) return undefined;
      if (range.kind !== 'count')
        return classify(name, atoms, literals, openDrafts(atoms, literals, searched, range.kind));
      return classify(name, atoms, literals, countDrafts(atoms, literals, searched));
    }
  }
}

/** Maximum of searched texts: each subset of them is a separate value. */
const maximumSearched = 5;

function unknownTruth(atoms: readonly Atom[]): readonly Draft[] {
  return [{ value: undefined, role: 'other', certainty: 'assumed', undecided: atoms }];
}

function openDrafts(
  atoms: readonly Atom[],
  literals: readonly string[],
  searched: readonly string[],
  kind: 'any' | 'text',
): readonly Draft[] {
  const kinds = atomKinds(atoms);
  const asksForPresence = atoms.some(({ clause }) => clause.kind === 'exists' || clause.kind === 'truthy');
  const isTyped = kinds.hasNumericOrder || areBothBooleans(literals);
  const unmentioned: Certainty = asksForPresence ? 'mentioned' : isTyped ? 'mistyped' : 'possible';
  const numeric = [...literals, ...(asksForPresence ? ['0'] : [])].filter(spellsNumber);
  const unused = searched.length === 0 ? freshWord(literals) : freshCharacter(literals);
  const drafts: Draft[] = [];
  for (const value of [...literals, ...oppositeBoolean(literals)]) {
    const role = value === '' ? 'empty' : 'literal';
    drafts.push({ value, role, certainty: 'mentioned', undecided: undecidedOfText(value, kinds) });
  }
  const undecided = [...kinds.patterns, ...kinds.textOrder, ...kinds.numberedTextOrder];
  for (const parts of subsets(searched)) {
    const value = [unused, ...parts.flatMap((part) => [part, unused])].join('');
    drafts.push({ value, role: 'other', certainty: unmentioned, undecided });
  }
  if (kind === 'any') drafts.push({ value: undefined, role: 'missing', certainty: unmentioned });
  drafts.push({ value: '', role: 'empty', certainty: isTyped ? 'mistyped' : 'possible' });
  for (const value of asksForPresence ? ['false', '0'] : []) {
    drafts.push({ value, role: 'literal', certainty: 'possible', undecided: undecidedOfText(value, kinds) });
  }
  const between = kinds.hasOrder ? numbersBetween(numeric.map(Number)) : [];
  const ofNumbers = [...kinds.patterns, ...kinds.searches, ...kinds.textOrder];
  for (const value of between) {
    const certainty = kind === 'any' ? 'mentioned' : 'possible';
    drafts.push({ value, role: 'number', certainty, undecided: ofNumbers });
  }
  // The same number in another spelling is another text.
  for (const literal of numeric) {
    const value = respelt(literal, literals);
    drafts.push({ value, role: 'other', certainty: 'possible', undecided: ofNumbers });
  }
  if (kind === 'any' && searched.length > 0) {
    for (const value of subsets(searched)) {
      drafts.push({ value, role: 'list', certainty: 'possible', undecided: kinds.patterns });
    }
  }
  return drafts;
}

/** Values that the engine counts: whole numbers from 0, or none yet. */
function countDrafts(
  atoms: readonly Atom[],
  literals: readonly string[],
  searched: readonly string[],
): readonly Draft[] {
  const { patterns, searches, textOrder, numberedTextOrder, hasOrder } = atomKinds(atoms);
  const undecided = [...patterns, ...searches, ...textOrder, ...numberedTextOrder];
  const mentioned = new Set(literals.map(asNumber));
  const counts = integers(literals, Number.MAX_SAFE_INTEGER).map((value): Draft => {
    const certainty = hasOrder || mentioned.has(value) ? 'mentioned' : 'possible';
    return { value, role: 'number', certainty, undecided };
  });
  const missing = openDrafts(atoms, literals, searched, 'any').filter(({ value }) => value === undefined);
  return [...counts, ...missing];
}

/**
 * Atoms that a text does not decide: the same text may be a boolean or a list, which have no order, and
 * whose parts are members.
 */
function undecidedOfText(text: string, kinds: AtomKinds): readonly Atom[] {
  const searches = /^\s*[[{]/.test(text) ? kinds.searches : [];
  return [...kinds.textOrder, ...(spellsNumber(text) ? [] : kinds.numberedTextOrder), ...searches];
}

function spellsNumber(text: string): boolean {
  return asNumber(text) !== undefined;
}

export interface AtomKinds {
  /** `matches`, and tests if a text occurs in a text: one value may satisfy them, another may not. */
  readonly patterns: readonly Atom[];
  /** Tests if the value contains a text. */
  readonly searches: readonly Atom[];
  /**
   * An order with a text that spells no number, and one with a quoted number, which compares texts as
   * texts.
   */
  readonly textOrder: readonly Atom[];
  readonly numberedTextOrder: readonly Atom[];
  readonly hasOrder: boolean;
  readonly hasNumericOrder: boolean;
}

/** Kinds of tests, of which values of some types decide not all. */
export function atomKinds(atoms: readonly Atom[]): AtomKinds {
  const of = (holds: (comparison: Comparison) => boolean): readonly Atom[] =>
    atoms.filter(({ clause }) => clause.kind === 'comparison' && holds(clause));
  const isOrder = ({ operator }: Comparison): boolean => /^[<>]/.test(operator);
  const literalOf = ({ left, right }: Comparison): Operand => (left.kind === 'key' ? right : left);
  const isNumber = (operand: Operand): boolean =>
    operand.kind === 'literal' && asNumber(operand.value) !== undefined;
  const isQuoted = (operand: Operand): boolean => operand.kind === 'literal' && operand.quoted;
  return {
    patterns: of((comparison) => comparison.operator === 'matches' || isInText(comparison)),
    searches: of((comparison) => searchedOf(comparison) !== undefined),
    textOrder: of((comparison) => isOrder(comparison) && !isNumber(literalOf(comparison))),
    numberedTextOrder: of(
      (comparison) =>
        isOrder(comparison) && isNumber(literalOf(comparison)) && isQuoted(literalOf(comparison)),
    ),
    hasOrder: of(isOrder).length > 0,
    hasNumericOrder: of((comparison) => isOrder(comparison) && isNumber(literalOf(comparison))).length > 0,
  };
}

/** True if the value is searched in a text: `context.x in "a b"`, `"a b" contains context.x`. */
function isInText({ operator, left, right }: Comparison): boolean {
  if (operator === 'contains') return left.kind === 'literal' && right.kind === 'key';
  return (operator === 'in' || operator === 'not in') && left.kind === 'key' && right.kind === 'literal';
}

/** Operand that is searched in the value: `context.x contains "a"`, `"a" in context.x`. */
function searchedOf({ operator, left, right }: Comparison): Operand | undefined {
  if (operator === 'contains') return left.kind === 'key' ? right : undefined;
  return (operator === 'in' || operator === 'not in') && right.kind === 'key' ? left : undefined;
}

/** Texts that conditions search in the value. */
export function searchedTexts(atoms: readonly Atom[]): readonly string[] {
  const texts = atoms.flatMap(({ clause }) => {
    const searched = clause.kind === 'comparison' ? searchedOf(clause) : undefined;
    return searched === undefined ? [] : [textOf(searched)];
  });
  return [...new Set(texts)];
}

/** Texts with which the value is compared. */
export function literalsOf({ clause }: Atom): readonly string[] {
  if (clause.kind !== 'comparison') return [];
  const { left, right, operator } = clause;
  if (operator === 'matches') return [];
  const operand = left.kind === 'key' ? right : left;
  return operand.kind === 'list' ? operand.items.map(textOf) : [textOf(operand)];
}

/** Text of a literal, or of a list of literals as JSON. */
export function textOf(operand: Operand): string {
  return textOfValue(literalValue(operand));
}

type Nested = string | readonly Nested[];

function literalValue(operand: Operand): Nested {
  switch (operand.kind) {
    case 'key':
      return operand.path;
    case 'literal':
      return operand.value;
    case 'list':
      return operand.items.map(literalValue);
  }
}

/** True if the literals are `true` and `false`: then no other value is expected. */
function areBothBooleans(literals: readonly string[]): boolean {
  return literals.length === 2 && literals.includes('true') && literals.includes('false');
}

/** The other truth value, which an author who tests for `true` or `false` has in mind. */
function oppositeBoolean(literals: readonly string[]): readonly string[] {
  const isBoolean = literals.length === 1 && (literals[0] === 'true' || literals[0] === 'false');
  return isBoolean ? [literals[0] === 'true' ? 'false' : 'true'] : [];
}

function integers(literals: readonly string[], highest: number): readonly number[] {
  const points = literals.map(asNumber).filter((point) => point !== undefined);
  const neighbours = [
    0,
    1,
    highest,
    ...points,
    ...points.flatMap((point) => [Math.floor(point) + 1, Math.ceil(point) - 1]),
  ];
  const values = neighbours.filter((value) => Number.isSafeInteger(value) && value >= 0 && value <= highest);
  return [...new Set(values)].sort((one, other) => one - other);
}

/** Word that occurs in none of the texts, for scripts that people read. */
export function freshWord(texts: readonly string[]): string {
  const all = texts.join('\n').toLowerCase();
  let word = 'other';
  for (let count = 2; all.includes(word); count += 1) word = `other${count}`;
  return word;
}

/** Character that occurs in none of the texts, one that people can see if there is such a one. */
function freshCharacter(texts: readonly string[]): string {
  const used = new Set(texts.join(''));
  const visible = ['-', '_', '*', '~'].find((character) => !used.has(character));
  if (visible !== undefined) return visible;
  let code = 0xe000;
  while (used.has(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}

function respelt(literal: string, literals: readonly string[]): string {
  let text = `${literal} `;
  while (literals.includes(text)) text += ' ';
  return text;
}

/** All sets of some texts, the empty one first. */
export function subsets(texts: readonly string[]): readonly (readonly string[])[] {
  const combinations: (readonly string[])[] = [[]];
  for (const text of texts) {
    for (const subset of [...combinations]) combinations.push([...subset, text]);
  }
  return combinations;
}
