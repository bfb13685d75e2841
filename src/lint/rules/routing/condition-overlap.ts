import { excerpt } from '../../../diagnostic/excerpt.js';
import { evaluateCondition } from '../../../graph/evaluate-condition.js';
import type { Graph } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import type { ProgramEdge } from '../../../graph/program.js';
import { neverHolds, toolsBefore } from '../../analysis/asked-in-vain.js';
import type { ConditionSet, Given } from '../../conditions/condition-set.js';
import { rangesAt, situationsAt } from '../../conditions/coverage.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { allOf, type Formula, negated } from '../../conditions/formula.js';
import { remembered } from '../../conditions/remembered.js';
import type { Assignment } from '../../conditions/solve.js';
import { type StageEdges, spanOfEdge, stageEdges } from '../../conditions/stage-edges.js';
import { expectedOutcomes } from '../../conditions/stage-outcomes.js';
import type { Departure } from '../../flow/departure.js';
import { type FlowSearch, flowSearch } from '../../flow/flow-search.js';
import { agrees, valuesAt } from '../../flow/holes.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 19: of several conditions that hold, the weight decides; without it, the alphabet. */
export const conditionOverlap: LintRule = {
  name: 'condition_overlap',
  severity: 'warning',
  summary: 'Two edges of a node whose conditions can both hold have different weights.',
  rationale:
    'When the conditions of several edges hold, the edge with the greatest `weight` is taken. With equal weights, it is the one whose target comes first in the alphabet, so renaming a node changes the path of the run. The message names values for which both conditions hold, and the edge that is then taken. Set a `weight` on the intended edge, or make the conditions exclude each other.',
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    const expected = expectedOutcomes(graph, handlerTypes);
    const search = () => flowSearch(graph, handlerTypes);
    for (const stage of stageEdges(graph, handlerTypes).values()) {
      const conditions = stage.within(rangesAt(stage.node));
      if (conditions === undefined || conditions.isEntangled) continue;
      const outcomes: ReadonlySet<string> = expected(stage.node.id);
      if (excludeEachOther(conditions, outcomes)) continue;
      const situations = situationsAt(stage.node).map((fixed) => ({ outcomes, fixed }));
      const isInVain = edgesInVain(graph, stage, handlerTypes);
      for (const [laterIndex, edge] of stage.conditional.entries()) {
        if (isInVain(edge)) continue;
        for (const found of overlaps(stage.conditional, laterIndex, conditions, situations)) {
          if (isInVain(found.taken)) continue;
          const proved = provedOverlap(search(), stage, outcomes, edge, found);
          if (proved === undefined) continue;
          yield overlap(graph, edge, proved);
          break;
        }
      }
    }
  },
};

/** Edges that ask a command for what it never prints, which another rule reports. */
function edgesInVain(
  graph: Graph,
  { node }: StageEdges,
  handlerTypes: KnownHandlerTypes,
): (edge: ProgramEdge) => boolean {
  const tools = toolsBefore(graph, node.id, handlerTypes);
  return ({ condition }) => tools !== undefined && condition !== undefined && neverHolds(condition, tools);
}

/** True if no two of them can hold at once, without any facts: then most nodes need no further check. */
const excludeEachOther = remembered(({ formulas, ask }, outcomes) =>
  formulas.every((formula, laterIndex) =>
    formulas
      .slice(0, laterIndex)
      .every(
        (earlierFormula) =>
          ask(allOf([formula, earlierFormula]), { outcomes, upTo: 'possible' }).kind === 'impossible',
      ),
  ),
);

interface Overlap {
  readonly taken: ProgramEdge;
  readonly formula: Formula;
  readonly witness: Assignment;
}

type Situation = Omit<Given, 'upTo'>;

/** Edges that precede another one only because of their names. */
function* overlaps(
  conditional: readonly ProgramEdge[],
  laterIndex: number,
  { formulas, ask }: ConditionSet,
  situations: readonly Situation[],
): Iterable<Overlap> {
  const [edge, formula] = [conditional[laterIndex], formulas[laterIndex]];
  if (edge === undefined || formula === undefined) return;
  for (const [index, takenEdge] of conditional.slice(0, laterIndex).entries()) {
    const earlierFormula = formulas[index];
    if (earlierFormula === undefined || takenEdge.weight !== edge.weight || takenEdge.to === edge.to)
      continue;
    // If a heavier edge holds too, neither of the two is taken.
    const isFirst = formulas.slice(0, index).map(negated);
    const both = allOf([formula, earlierFormula, ...isFirst]);
    for (const situation of situations) {
      const answer = ask(both, { ...situation, upTo: 'possible' });
      if (answer.kind !== 'satisfiable') continue;
      // Another rule reports an edge that is never taken.
      const alone = allOf([formula, ...formulas.slice(0, laterIndex).map(negated)]);
      const isAlive = situations.some((any) => ask(alone, { ...any, upTo: 'assumed' }).kind !== 'impossible');
      if (!isAlive) return;
      yield { taken: takenEdge, formula: both, witness: answer.assignment };
    }
  }
}

/** The overlap as a run shows it, with the values of that run; undefined if no run comes there with such values. */
function provedOverlap(
  search: FlowSearch | undefined,
  stage: StageEdges,
  outcomes: ReadonlySet<string>,
  edge: ProgramEdge,
  found: Overlap,
): (Overlap & { readonly proof: Proof }) | undefined {
  const isThere = ({ route, routed, scope, line }: Departure): boolean =>
    route.kind === 'edge' &&
    // A branch that would restart the pipeline fails instead.
    (line === '' || !route.edge.loopRestart) &&
    route.edge.index === found.taken.index &&
    outcomes.has(routed.status) &&
    edge.condition !== undefined &&
    evaluateCondition(edge.condition, scope);
  const shown = search?.leaving(stage.node.id, (one) => isThere(one) && agrees(found.witness, one));
  const proof = proofOf(shown);
  if (proof !== undefined) return { ...found, proof };
  let witness: Assignment | undefined;
  const other = search?.leaving(stage.node.id, (departure) => {
    witness = isThere(departure)
      ? valuesAt(stage.within(rangesAt(stage.node)), found.formula, departure)
      : undefined;
    return witness !== undefined;
  });
  if (other?.kind !== 'found' || witness === undefined) return undefined;
  return { ...found, witness, proof: { witness: other.witness } };
}

function overlap(
  graph: Graph,
  edge: ProgramEdge,
  { taken: takenEdge, witness, proof }: Overlap & { readonly proof: Proof },
): Finding {
  const [to, other] = [excerpt(takenEdge.to), excerpt(edge.to)];
  return {
    message: `the conditions of the edges from ${excerpt(edge.from)} to ${to} and to ${other} both hold when ${describeWitness(witness)}; then the edge to ${to} is taken, only because its name comes first`,
    span: spanOfEdge(graph, edge),
    edge: [edge.from, edge.to],
    ...proof,
    related: [{ span: spanOfEdge(graph, takenEdge), message: 'the edge that is taken' }],
    fix: {
      title: 'give the intended edge a greater `weight`, or make the conditions exclude each other',
      edits: [],
    },
  };
}
