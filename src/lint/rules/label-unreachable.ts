import { excerpt } from '../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../graph/attributes.js';
import { choicesOf } from '../../graph/choices.js';
import type { Edge, Graph } from '../../graph/graph.js';
import { normalizeLabel } from '../../graph/labels.js';
import type { ProgramEdge } from '../../graph/program.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { choiceIsFollowed } from '../conditions/choice-is-followed.js';
import { type StageWays, spanOfEdge, stageWays } from '../conditions/stage-ways.js';
import type { Finding, LintContext, LintRule } from '../rule.js';

/** §3.3, SEMANTICS 18a, 55: who chooses a label gets its edge. */
export const labelUnreachable: LintRule = {
  name: 'label_unreachable',
  severity: 'warning',
  summary: 'The label of an edge, chosen by a stage or a person, leads along that edge.',
  rationale:
    'A stage chooses an edge by its label, compared without regard to case and to a key in front such as `[Y] `. Of several edges with the same label the first one is taken, so that the others cannot be chosen. A human gate offers every edge as a choice; but an edge with a condition is taken only where the condition holds, so that a person may choose it and be sent elsewhere. Give the edges different labels, and let a person\'s choice decide alone, or test it in the condition (`preferred_label="Fix"`).',
  *apply(graph, context) {
    for (const edges of edgesBySource(graph)) yield* sameLabels(graph, edges, context);
    for (const ways of stageWays(graph, context.handlerTypes).values()) {
      if (ways.node.handler.type === 'wait.human') yield* choicesNotFollowed(graph, ways);
    }
  },
};

/** The labelled edges of every node that has several. */
function edgesBySource(graph: Graph): Iterable<readonly Edge[]> {
  const bySource = new Map<string, Edge[]>();
  for (const edge of graph.edges) {
    if (!edge.attributes.has('label')) continue;
    const siblings = bySource.get(edge.from);
    if (siblings === undefined) bySource.set(edge.from, [edge]);
    else siblings.push(edge);
  }
  return [...bySource.values()].filter((edges) => edges.length > 1);
}

function* sameLabels(
  graph: Graph,
  labelled: readonly Edge[],
  { handlerTypes }: LintContext,
): Iterable<Finding> {
  const from = graph.nodes.get(labelled[0]?.from ?? '');
  if (from === undefined) return;
  const { forks, type } = handlerTypeOf(graph, from, handlerTypes);
  // Branches all run, and what a person chooses is found by its target too.
  if (forks || type === 'wait.human') return;
  const first = new Map<string, Edge>();
  for (const edge of labelled) {
    const label = normalizeLabel(edgeAttribute(edge, 'label'));
    if (label === '' || edgeAttribute(edge, 'condition').trim() !== '') continue;
    const earlier = first.get(label);
    if (earlier === undefined) first.set(label, edge);
    else if (earlier.to !== edge.to) {
      yield {
        message: `the label ${excerpt(edgeAttribute(edge, 'label'))} never leads to ${excerpt(edge.to)}: an edge from ${excerpt(edge.from)} to ${excerpt(earlier.to)} has the same label, and the first one is taken`,
        span: edge.attributes.get('label')?.valueSpan ?? edge.span,
        edge: [edge.from, edge.to],
        related: [{ span: earlier.span, message: 'the edge that is taken' }],
        fix: { title: 'give the edges different labels', edits: [] },
      };
    }
  }
}

function* choicesNotFollowed(graph: Graph, ways: StageWays): Iterable<Finding> {
  const { node } = ways;
  const choices = choicesOf(node.edges);
  for (const [index, choice] of choices.entries()) {
    const edge = node.edges[index];
    if (edge === undefined || choiceIsFollowed(ways, choices, choice)) continue;
    yield notFollowed(graph, edge, choice.label);
  }
}

function notFollowed(graph: Graph, edge: ProgramEdge, label: string): Finding {
  return {
    message: `who chooses ${excerpt(label)} at ${excerpt(edge.from)} never gets to ${excerpt(edge.to)}, because the conditions of its edges lead elsewhere`,
    span: spanOfEdge(graph, edge),
    edge: [edge.from, edge.to],
    fix: { title: 'remove the condition, or test the choice in it', edits: [] },
  };
}
