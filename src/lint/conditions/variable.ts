import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { Atom, VariableName } from './formula.js';

/** Key that conditions mention, with the values that they distinguish. */
export interface Variable extends VariableName {
  readonly atoms: readonly Atom[];
  /** Texts that it is compared with, in the order of the text. */
  readonly literals: readonly string[];
  /** One value for each set that no atom distinguishes; the ones that an author has in mind first. */
  readonly values: readonly Candidate[];
}

/** Value of a variable that represents all those that no atom distinguishes from it. */
export interface Candidate {
  readonly value: JsonValue | undefined;
  readonly role: Role;
  readonly certainty: Certainty;
  /** Truth of each atom, by its index. */
  readonly truth: ReadonlyMap<number, boolean>;
}

export type Role =
  /** Text or number that a condition mentions. */
  | 'literal'
  /** Text that no condition mentions. */
  | 'other'
  | 'missing'
  | 'empty'
  /** Number between, below or above the mentioned ones. */
  | 'number'
  /** List of some of the members that conditions test. */
  | 'list';

/**
 * `mentioned`: the author of these conditions had such a value in mind. `possible`: there are such values.
 * `mistyped`: there are, but expecting them means doubting the stage that sets the key (a text where
 * numbers are compared). `assumed`: its existence is not shown (a text that matches one pattern and not
 * another).
 */
export type Certainty = 'mentioned' | 'possible' | 'mistyped' | 'assumed';

const certainties: readonly Certainty[] = ['mentioned', 'possible', 'mistyped', 'assumed'];

/** Value to be classified. */
export interface Draft {
  readonly value: JsonValue | undefined;
  readonly role: Role;
  readonly certainty: Certainty;
  /** Atoms that values of this kind decide in different ways. */
  readonly undecided?: readonly Atom[];
}

/** Maximum of undecided atoms: more would give too many values. */
const maximumUndecided = 5;

/**
 * Keeps one of the values that no atom distinguishes; undefined if they are too many.
 * @param isClosed true for a variable whose values are known: each of them is kept
 */
export function classify(
  { name, kind }: VariableName,
  atoms: readonly Atom[],
  literals: readonly string[],
  drafts: readonly Draft[],
  isClosed = false,
): Variable | undefined {
  const byTruth = new Map<string, Candidate>();
  for (const draft of drafts) {
    const undecided = draft.undecided ?? [];
    if (undecided.length > maximumUndecided) return undefined;
    const decided = decidedTruth(name, atoms, draft.value);
    for (let choice = 0; choice < 2 ** undecided.length; choice += 1) {
      const truth = new Map(decided);
      for (const [bit, { index }] of undecided.entries())
        truth.set(index, Math.floor(choice / 2 ** bit) % 2 === 1);
      const isExact = undecided.every(({ index }) => truth.get(index) === decided.get(index));
      const signature =
        [...truth.values()].map(Number).join('') + (isClosed ? JSON.stringify(draft.value) : '');
      const certainty = isExact ? draft.certainty : 'assumed';
      keep(byTruth, signature, { value: draft.value, role: draft.role, truth, certainty });
    }
  }
  const values = [...byTruth.values()].sort((one, other) => rank(one.certainty) - rank(other.certainty));
  return { name, kind, atoms, literals, values };
}

function keep(byTruth: Map<string, Candidate>, signature: string, candidate: Candidate): void {
  const existing = byTruth.get(signature);
  if (existing === undefined || rank(candidate.certainty) < rank(existing.certainty)) {
    byTruth.set(signature, candidate);
  }
}

export function rank(certainty: Certainty): number {
  return certainties.indexOf(certainty);
}

/** Truth by the engine's own evaluator, so that both always agree. */
function decidedTruth(
  path: string,
  atoms: readonly Atom[],
  value: JsonValue | undefined,
): Map<number, boolean> {
  const scope = scopeOf([[path, value]]);
  return new Map(atoms.map(({ index, clause }) => [index, evaluateCondition(clause, scope)]));
}

/** Scope of a condition whose keys have these values (§10.4). */
export function scopeOf(assignments: Iterable<readonly [string, JsonValue | undefined]>) {
  const values = new Map<string, JsonValue>();
  let [outcome, preferredLabel] = ['', ''];
  for (const [path, value] of assignments) {
    if (path === 'outcome') outcome = String(value ?? '');
    else if (path === 'preferred_label') preferredLabel = String(value ?? '');
    else if (value !== undefined) values.set(flatKey(path), value);
  }
  return { outcome, preferredLabel, lookup: (key: string) => values.get(key) };
}

/** Context key of a path: without `context.` or `state.` (§10.4). */
export function flatKey(path: string): string {
  return path.replace(/^(?:context|state)\./, '');
}

/** Represents every outcome that is neither a status nor mentioned. */
export const otherOutcome = '(another outcome)';
