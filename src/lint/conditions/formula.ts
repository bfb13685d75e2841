import { evaluateCondition, keysOf } from '../../graph/evaluate-condition.js';
import type { Condition, KeyOperand, Operand } from '../../parser/condition/ast.js';
import { type Clause, printClause } from '../../parser/condition/print.js';

/**
 * Condition as a formula of atoms, each of which depends on one variable only. Negation is only in the
 * atoms.
 */
export type Formula =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'atom'; readonly atom: Atom; readonly holds: boolean }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Formula[] };

/** Clause that the value of one variable decides. */
export interface Atom {
  readonly index: number;
  readonly clause: Clause;
  readonly variable: VariableName;
}

/**
 * Variable of an atom: the path of a key, as it is written; or, if a clause depends on several keys at
 * once, the clause itself, which is then true or false for unknown reasons.
 */
export interface VariableName {
  readonly kind: 'key' | 'clause';
  readonly name: string;
}

/** Collects the atoms of a node's conditions; a clause that occurs twice is one atom. */
export class Atoms {
  readonly all: Atom[] = [];
  readonly #byText = new Map<string, Atom>();

  atomOf(clause: Clause): Atom {
    const text = printClause(clause);
    const existing = this.#byText.get(text);
    if (existing !== undefined) return existing;
    const atom = { index: this.all.length, clause, variable: variableOf(clause, text) };
    this.all.push(atom);
    this.#byText.set(text, atom);
    return atom;
  }
}

function variableOf(clause: Clause, text: string): VariableName {
  const key = onlyKey(clause);
  return key === undefined ? { kind: 'clause', name: text } : { kind: 'key', name: key.path };
}

/** Key of a clause that compares it with literals, or tests it alone. */
function onlyKey(clause: Clause): KeyOperand | undefined {
  const keys = keysOf(clause);
  const [key, second] = keys;
  if (key === undefined || second !== undefined) return undefined;
  switch (clause.kind) {
    case 'constant':
      return undefined;
    case 'exists':
      return key;
    case 'truthy':
      return isKey(clause.operand) ? key : undefined;
    case 'comparison':
      return isKey(clause.left) || isKey(clause.right) ? key : undefined;
  }
}

function isKey(operand: Operand): boolean {
  return operand.kind === 'key';
}

const noValues = { outcome: '', preferredLabel: '', lookup: () => undefined };

/** Formula of a condition, or of its negation. */
export function formulaOf(condition: Condition, atoms: Atoms, holds = true): Formula {
  switch (condition.kind) {
    case 'not':
      return formulaOf(condition.operand, atoms, !holds);
    case 'and':
    case 'or': {
      const parts = condition.operands.map((operand) => formulaOf(operand, atoms, holds));
      return { kind: (condition.kind === 'and') === holds ? 'all' : 'any', parts };
    }
    case 'constant':
      return { kind: 'constant', value: condition.value === holds };
    case 'exists':
    case 'truthy':
    case 'comparison':
      if (keysOf(condition).length === 0) {
        return { kind: 'constant', value: evaluateCondition(condition, noValues) === holds };
      }
      return { kind: 'atom', atom: atoms.atomOf(condition), holds };
  }
}

export function allOf(parts: readonly Formula[]): Formula {
  return { kind: 'all', parts };
}

/** Negation of a formula. */
export function negated(formula: Formula): Formula {
  switch (formula.kind) {
    case 'constant':
      return { kind: 'constant', value: !formula.value };
    case 'atom':
      return { ...formula, holds: !formula.holds };
    case 'all':
    case 'any':
      return { kind: formula.kind === 'all' ? 'any' : 'all', parts: formula.parts.map(negated) };
  }
}
