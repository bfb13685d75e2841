import { excerpt } from '../../diagnostic/excerpt.js';
import { evaluateCondition, keysOf } from '../../graph/evaluate-condition.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import type { ConditionSet } from '../conditions/condition-set.js';
import { type Coverage, coverageOf } from '../conditions/coverage.js';
import { declaredRanges } from '../conditions/declared-ranges.js';
import { allOf, type Formula, negated } from '../conditions/formula.js';
import type { Assignment } from '../conditions/solve.js';
import { type StageEdges, stageEdges } from '../conditions/stage-edges.js';
import { expectedOutcomes } from '../conditions/stage-outcomes.js';
import { type Certainty, flatKey } from '../conditions/variable.js';
import type { Departure } from './departure.js';
import { type FlowSearch, flowSearch } from './flow-search.js';
import { type Proof, proofOf } from './proof.js';
import { routedNode } from './routed-node.js';

/** Coverage of a node's edges as runs come there, with its proof. */
export type RunCoverage = Coverage & {
  readonly proof: Proof;
  /** Outcome and values of a run that falls through a hole of which the conditions alone say nothing. */
  readonly shown?: string | undefined;
};

/** Coverage of every node of which all edges have conditions; a hole through which no run falls does not count. */
export const holesOf = perGraph((graph, handlerTypes): ReadonlyMap<string, RunCoverage> => {
  const expected = expectedOutcomes(graph, handlerTypes);
  const found = new Map<string, RunCoverage>();
  for (const [id, stage] of stageEdges(graph, handlerTypes)) {
    if (stage.plain.length > 0) continue;
    const outcomes = expected(id);
    const coverage = coverageOf(stage, outcomes, declaredRanges(graph, stage, handlerTypes));
    if (coverage.kind === 'hole' || coverage.kind === 'undecided')
      found.set(id, proved(graph, handlerTypes, stage, coverage, outcomes));
  }
  return found;
});

const covered: RunCoverage = { kind: 'exhaustive', proof: {} };

function proved(
  graph: Graph,
  handlerTypes: KnownHandlerTypes,
  stage: StageEdges,
  coverage: Coverage,
  outcomes: ReadonlySet<StageStatus>,
): RunCoverage {
  const search = flowSearch(graph, handlerTypes);
  const isStuck = ({ route, routed }: Departure): boolean =>
    route.kind === 'fail' && route.failure === 'routing' && outcomes.has(routed.status);
  if (coverage.kind !== 'hole') {
    let stuck: Departure | undefined;
    const answer = search?.leaving(stage.node.id, (one) => {
      if (!isStuck(one)) return false;
      stuck = one;
      return true;
    });
    const proof = proofOf(answer);
    const shown = answer?.kind === 'found' && stuck !== undefined ? describeScope(stage, stuck) : undefined;
    return proof === undefined ? covered : { ...coverage, proof, shown };
  }
  const shown = search?.leaving(stage.node.id, (one) => isStuck(one) && agrees(coverage.witness, one));
  const proof = proofOf(shown);
  if (proof !== undefined) return { ...coverage, proof };
  return otherHole(search, stage, isStuck) ?? covered;
}

/** A hole with values that a run really brings, first with those that the author has in mind. */
function otherHole(
  search: FlowSearch | undefined,
  stage: StageEdges,
  isStuck: (departure: Departure) => boolean,
): RunCoverage | undefined {
  const none = allOf((stage.conditions?.formulas ?? []).map(negated));
  for (const upTo of ['mentioned', 'possible'] as const) {
    let witness: Assignment | undefined;
    const answer = search?.leaving(stage.node.id, (departure) => {
      if (!isStuck(departure)) return false;
      witness = valuesAt(stage.conditions, none, departure, upTo);
      return witness !== undefined;
    });
    if (answer?.kind === 'found' && witness !== undefined)
      return { kind: 'hole', witness, isMentioned: upTo === 'mentioned', proof: { witness: answer.witness } };
  }
  return undefined;
}

/** Values at a departure for which a formula of its conditions holds, in the form in which messages show them. */
export function valuesAt(
  conditions: ConditionSet | undefined,
  formula: Formula,
  departure: Departure,
  upTo: Certainty = 'possible',
): Assignment | undefined {
  const { routed, values } = departure;
  const { resultNode } = departure.scope;
  const fixed = resultNode === undefined ? values : new Map(values).set(routedNode, resultNode);
  const answer = conditions?.ask(formula, { outcomes: new Set([routed.status]), fixed, upTo });
  if (answer?.kind !== 'satisfiable') return undefined;
  return agrees(answer.assignment, departure) ? answer.assignment : undefined;
}

/** True if a run has the outcome of an assignment, and values that no condition tells from the others. */
export function agrees(assignment: Assignment, { scope, routed }: Departure): boolean {
  return [...assignment].every(([{ name, atoms }, { value, truth }]) => {
    if (name === 'outcome') return routed.status === value;
    return atoms.every(({ index, clause }) => evaluateCondition(clause, scope) === truth.get(index));
  });
}

/** What the conditions of a node read at a departure: `outcome=success and context.tests="red"`. */
function describeScope({ conditional }: StageEdges, { routed, scope }: Departure): string {
  const conditions = conditional.flatMap(({ condition }) => condition ?? []);
  const clauses = conditions.flatMap((condition) => clausesOf(condition));
  const paths = new Set(clauses.flatMap((clause) => keysOf(clause).map(({ path }) => path)));
  const parts = [...paths].map((path) => {
    if (path === 'outcome') return `outcome=${routed.status}`;
    const value = path === 'preferred_label' ? routed.preferred_label : scope.lookup(flatKey(path));
    if (value === undefined) return `${path} is missing`;
    return `${path}=${typeof value === 'string' ? excerpt(value) : JSON.stringify(value)}`;
  });
  const last = parts.at(-1) ?? 'a stage has succeeded';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
