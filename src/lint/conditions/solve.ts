import type { Atom, Formula } from './formula.js';
import type { Candidate, Variable } from './variable.js';

/** Values for some variables that make the formula true, whatever the others are. */
export type Assignment = ReadonlyMap<Variable, Candidate>;

export type Answer =
  | { readonly kind: 'satisfiable'; readonly assignment: Assignment }
  | { readonly kind: 'impossible' }
  /** The limit was reached. */
  | { readonly kind: 'unknown' };

/** Maximum of atoms to be visited before a question is given up. */
const maximumWork = 50_000;

/**
 * Decides if a formula can be true, and with which values. Splits by the first variable that the formula
 * still depends on, and simplifies by each value: exact, and fast as long as few variables depend on each
 * other.
 * @param allows true for values that may be used
 */
export function solve(
  formula: Formula,
  variableOf: ReadonlyMap<Atom, Variable>,
  allows: (variable: Variable, candidate: Candidate) => boolean,
): Answer {
  const search = new Search(variableOf, allows);
  const isTrue = search.run(formula);
  if (isTrue === undefined) return { kind: 'unknown' };
  return isTrue ? { kind: 'satisfiable', assignment: search.assignment } : { kind: 'impossible' };
}

class Search {
  readonly assignment = new Map<Variable, Candidate>();
  readonly #variableOf: ReadonlyMap<Atom, Variable>;
  readonly #allows: (variable: Variable, candidate: Candidate) => boolean;
  #work = 0;

  constructor(
    variableOf: ReadonlyMap<Atom, Variable>,
    allows: (variable: Variable, candidate: Candidate) => boolean,
  ) {
    this.#variableOf = variableOf;
    this.#allows = allows;
  }

  /** @returns undefined if the limit was reached */
  run(formula: Formula): boolean | undefined {
    const rest = this.#simplified(formula);
    if (rest.kind === 'constant') return rest.value;
    const variable = this.#firstVariable(rest);
    for (const candidate of variable.values) {
      if (!this.#allows(variable, candidate)) continue;
      if (this.#work > maximumWork) return undefined;
      this.assignment.set(variable, candidate);
      const isTrue = this.run(rest);
      if (isTrue !== false) return isTrue;
    }
    this.assignment.delete(variable);
    return false;
  }

  #firstVariable(formula: Formula): Variable {
    let first = formula;
    while (first.kind === 'all' || first.kind === 'any') first = first.parts[0] ?? nothing;
    const variable = first.kind === 'atom' ? this.#variableOf.get(first.atom) : undefined;
    if (variable === undefined) throw new Error('a formula that is not decided depends on a variable');
    return variable;
  }

  /** Formula without the atoms that the assignment decides. */
  #simplified(formula: Formula): Formula {
    this.#work += 1;
    switch (formula.kind) {
      case 'constant':
        return formula;
      case 'atom': {
        const variable = this.#variableOf.get(formula.atom);
        const candidate = variable && this.assignment.get(variable);
        if (candidate === undefined) return formula;
        return { kind: 'constant', value: candidate.truth.get(formula.atom.index) === formula.holds };
      }
      case 'all':
      case 'any': {
        const neutral = formula.kind === 'all';
        const parts: Formula[] = [];
        for (const part of formula.parts) {
          const rest = this.#simplified(part);
          if (rest.kind !== 'constant') parts.push(rest);
          else if (rest.value !== neutral) return rest;
        }
        const [only, second] = parts;
        if (only === undefined) return { kind: 'constant', value: neutral };
        return second === undefined ? only : { kind: formula.kind, parts };
      }
    }
  }
}

const nothing: Formula = { kind: 'constant', value: false };
