import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import { stageStatuses } from '../../graph/stage-status.js';
import { stagePathOf } from '../../graph/values/seen-stages.js';
import type { Condition } from '../../parser/condition/ast.js';
import { type Atom, Atoms, type Formula, formulaOf } from './formula.js';
import { type Range, representatives } from './representatives.js';
import { type Answer, solve } from './solve.js';
import {
  type Candidate,
  type Certainty,
  flatKey,
  otherOutcome,
  rank,
  scopeOf,
  type Variable,
} from './variable.js';

/**
 * Conditions of a node's edges, prepared for questions about all possible runs. An impossible formula is
 * proved impossible; a possible one comes with values that show it, unless keys are entangled.
 */
export interface ConditionSet {
  /** Formulas in the order of the conditions. */
  readonly formulas: readonly Formula[];
  /** Words that conditions compare with `outcome`. */
  readonly mentionedOutcomes: readonly string[];
  /**
   * True if one key is written in several ways, or is a part of another. Their values depend on each other
   * in ways that are not modelled, so that values of a witness may not exist together.
   */
  readonly isEntangled: boolean;
  ask(formula: Formula, assumptions: Given): Answer;
}

/** Facts for a question. */
export interface Given {
  /** Possible values of `outcome`. */
  readonly outcomes: ReadonlySet<string>;
  readonly upTo: Certainty;
  /** Keys with a known value, without `context.`, among those that have a known range. */
  readonly fixed?: ReadonlyMap<string, JsonValue>;
}

/** Known ranges of keys, by the key without `context.`. */
export type KnownRanges = ReadonlyMap<string, Range>;

/** Limits beyond which a node is not judged. */
const maximumConditions = 64;
const maximumAtoms = 256;

/** Undefined if there are too many conditions, or too many values that they distinguish. */
export function conditionSet(
  conditions: readonly Condition[],
  ranges: KnownRanges,
): ConditionSet | undefined {
  if (conditions.length > maximumConditions) return undefined;
  const atoms = new Atoms();
  const formulas = conditions.map((condition) => formulaOf(condition, atoms));
  if (atoms.all.length > maximumAtoms) return undefined;
  const variables = variablesOf(atoms.all, ranges);
  if (variables === undefined) return undefined;
  const variableOf = new Map(variables.flatMap((variable) => variable.atoms.map((atom) => [atom, variable])));
  const outcome = variables.find(({ kind, name }) => kind === 'key' && name === 'outcome');
  return {
    formulas,
    mentionedOutcomes: outcome?.literals ?? [],
    isEntangled: areEntangled(variables),
    ask: (formula, { outcomes, upTo, fixed }) =>
      solve(formula, variableOf, (variable, { value, certainty, truth }) => {
        if (variable === outcome) return outcomes.has(String(value));
        const set = fixed?.get(flatKey(variable.name));
        return set === undefined ? rank(certainty) <= rank(upTo) : isLike(variable, set, { value, truth });
      }),
  };
}

/** True for the value itself; where it is not one of those of its variable, for the one that no condition tells from it. */
function isLike(
  { name, atoms, values }: Variable,
  set: JsonValue,
  { value, truth }: Pick<Candidate, 'value' | 'truth'>,
): boolean {
  if (values.some((one) => one.value === set)) return value === set;
  const scope = scopeOf([[name, set]]);
  return atoms.every(({ index, clause }) => evaluateCondition(clause, scope) === truth.get(index));
}

function variablesOf(atoms: readonly Atom[], ranges: KnownRanges): readonly Variable[] | undefined {
  const byName = new Map<string, Atom[]>();
  for (const atom of atoms) {
    const name = `${atom.variable.kind} ${atom.variable.name}`;
    const sameVariable = byName.get(name);
    if (sameVariable === undefined) byName.set(name, [atom]);
    else sameVariable.push(atom);
  }
  const variables: Variable[] = [];
  for (const own of byName.values()) {
    const [first] = own;
    if (first === undefined) continue;
    const variable = representatives(first.variable, own, (literals) =>
      rangeOf(first.variable.name, literals, ranges),
    );
    if (variable === undefined) return undefined;
    variables.push(variable);
  }
  return variables;
}

function rangeOf(path: string, literals: readonly string[], ranges: KnownRanges): Range {
  if (path === 'outcome') {
    return { kind: 'words', words: [...new Set([...stageStatuses, ...literals, otherOutcome])] };
  }
  const known = ranges.get(flatKey(path));
  if (known !== undefined) return known;
  if (isCount(flatKey(path))) return { kind: 'count' };
  return { kind: path === 'preferred_label' ? 'text' : 'any' };
}

const counts = /^(?:parallel\.(?:count|success_count|fail_count|items)|internal\.retry_count\.[^.]+)$/;

/** True for a key that only the engine sets, to a number of things that it has counted (SEMANTICS 48, 104). */
function isCount(key: string): boolean {
  if (counts.test(key)) return true;
  const stage = stagePathOf(key);
  if (stage === undefined || stage.branch !== undefined || stage.way.length > 0) return false;
  return stage.field === 'visits' || stage.field === 'retries';
}

/**
 * Keys that the engine itself sets in the context, or in `result.`, according to the outcome (§3.2 step 4).
 */
const followers = new Set([
  'outcome',
  'preferred_label',
  'result.outcome',
  'result.status',
  'result.success',
  'result.failure_category',
  'result.preferred_label',
]);

function areEntangled(variables: readonly Variable[]): boolean {
  const keys = new Set<string>();
  for (const { kind, name } of variables) {
    if (kind === 'clause' || name === 'outcome' || name === 'preferred_label') continue;
    const key = flatKey(name);
    if (followers.has(key) || keys.has(key)) return true;
    keys.add(key);
  }
  return [...keys].some((key) => prefixesOf(key).some((prefix) => keys.has(prefix)));
}

function prefixesOf(key: string): readonly string[] {
  const segments = key.split('.');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('.'));
}
