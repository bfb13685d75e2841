import type { Atom, Formula } from './formula.js';
import type { Candidate, Variable } from './variable.js';

/** Values for some variables; whatever the others are, the formula is true. */
export type Assignment = ReadonlyMap<Variable, Candidate>;

export type Answer =
  | { readonly kind: 'satisfiable'; readonly assignment: Assignment }
  | { readonly kind: 'impossible' }
  /** The bound was reached. */
  | { readonly kind: 'unknown' };

/** How many atoms may be looked at before a question is given up. */
const maximumWork = 50_000;

/**
 * Whether a formula can be true, and with which values. Splits by the first variable that the formula still depends on, and
 * drops whatever a value decides: exact, and short as long as few variables depend on each other.
 * @param allows which values may be used
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

  /** @returns undefined where the bound was reached */
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

  /** Without the atoms that the assignment decides. */
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
