import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { Atom, VariableName } from './formula.js';

/** A key that conditions mention, with the values that they can tell apart. */
export interface Variable extends VariableName {
  readonly atoms: readonly Atom[];
  /** The texts that it is compared with, in the order of the text. */
  readonly literals: readonly string[];
  /** Of every set of values that no atom tells apart one; the ones that an author has in view first. */
  readonly values: readonly Candidate[];
}

/** A value of a variable that stands for all that no atom tells apart from it. */
export interface Candidate {
  readonly value: JsonValue | undefined;
  readonly role: Role;
  readonly certainty: Certainty;
  /** By the index of the atom. */
  readonly truth: ReadonlyMap<number, boolean>;
}

export type Role =
  /** A text or number that a condition mentions. */
  | 'literal'
  /** A text that no condition mentions. */
  | 'other'
  | 'missing'
  | 'empty'
  /** A number between, below or above those that are mentioned. */
  | 'number'
  /** A list of some of the members that conditions ask for. */
  | 'list';

/**
 * `mentioned`: an author who wrote these conditions had such a value in view. `possible`: there are such values.
 * `mistyped`: there are, but whoever reckons with them doubts the stage that sets the key (a text where numbers are compared).
 * `assumed`: nobody has shown that one exists (a text that matches one pattern and not another).
 */
export type Certainty = 'mentioned' | 'possible' | 'mistyped' | 'assumed';

const certainties: readonly Certainty[] = ['mentioned', 'possible', 'mistyped', 'assumed'];

/** A value to be classified. */
export interface Draft {
  readonly value: JsonValue | undefined;
  readonly role: Role;
  readonly certainty: Certainty;
  /** Atoms that values of this kind decide in different ways. */
  readonly undecided?: readonly Atom[];
}

/** Too many undecided atoms would make too many values. */
const maximumUndecided = 5;

/**
 * Keeps one of the values between which no atom tells a difference; undefined where there are too many.
 * @param isClosed for a variable whose values are known: each of them is kept
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
  const known = byTruth.get(signature);
  if (known === undefined || rank(candidate.certainty) < rank(known.certainty)) {
    byTruth.set(signature, candidate);
  }
}

export function rank(certainty: Certainty): number {
  return certainties.indexOf(certainty);
}

/** By the engine's own evaluator, so that there can be no other opinion. */
function decidedTruth(
  path: string,
  atoms: readonly Atom[],
  value: JsonValue | undefined,
): Map<number, boolean> {
  const scope = scopeOf([[path, value]]);
  return new Map(atoms.map(({ index, clause }) => [index, evaluateCondition(clause, scope)]));
}

/** What a condition sees where its keys have these values (§10.4). */
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

/** The context key that a path means: without `context.` or `state.` (§10.4). */
export function flatKey(path: string): string {
  return path.replace(/^(?:context|state)\./, '');
}

/** Stands for every outcome that is neither a status nor mentioned. */
export const otherOutcome = '(another outcome)';
