import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import { choicesOf, gateChoices } from '../../../graph/choices.js';
import type { Edge, Graph } from '../../../graph/graph.js';
import type { HandlerType } from '../../../graph/handler-types.js';
import { acceleratorKey, labelsMatch, normalizeLabel } from '../../../graph/labels.js';
import type { ProgramEdge } from '../../../graph/program.js';
import { handlerTypeOf, outgoingEdges } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { choiceIsFollowed } from '../../conditions/choice-is-followed.js';
import { type StageEdges, spanOfEdge, stageEdges } from '../../conditions/stage-edges.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** §3.3, SEMANTICS 18a, 55: the choice of a label leads to its edge. */
export const labelUnreachable: LintRule = {
  name: 'label_unreachable',
  severity: 'warning',
  summary: 'If a stage or a person chooses the label of an edge, the run takes that edge.',
  rationale:
    'A stage chooses an edge by its label; case and a key at the front, such as `[Y] `, are ignored. If several edges have the same label, the first is taken, and the others can never be chosen. A human gate offers every edge as a choice, but an edge with a condition is taken only if the condition holds, so a person may choose it and be sent elsewhere. If two choices declare the same key, like `[A] Approve` and `[A] Abort`, the key chooses the first; the other can only be chosen by its number. Two choices with the same label cannot be told apart. Give the edges different labels and keys, and let the choice of the person decide: without conditions, or with conditions that test it (`preferred_label="Fix"`).',
  tag: 'unnecessary',
  *apply(graph, context) {
    for (const edges of edgesBySource(graph)) {
      const from = graph.nodes.get(edges[0]?.from ?? '');
      if (from === undefined) continue;
      const handler = handlerTypeOf(graph, from, context.handlerTypes);
      const { forks, type } = handler;
      const isDiamond = (id: string): boolean => passesOn(graph, id, context.handlerTypes);
      // Branches all run.
      if (type === 'wait.human') {
        yield* sameKeys(graph, from.id);
        yield* sameChoices(edges);
      } else if (!forks) yield* sameLabels(edges, handler, isDiamond);
    }
    for (const stage of stageEdges(graph, context.handlerTypes).values()) {
      if (stage.node.handler.type === 'wait.human') yield* choicesNotFollowed(graph, stage);
    }
  },
};

/** Labelled edges of every node that has several. */
function edgesBySource(graph: Graph): Iterable<readonly Edge[]> {
  const bySource = new Map<string, Edge[]>();
  for (const edge of attributeOwners(graph).edgesWith('label')) {
    const siblings = bySource.get(edge.from);
    if (siblings === undefined) bySource.set(edge.from, [edge]);
    else siblings.push(edge);
  }
  return [...bySource.values()].filter((edges) => edges.length > 1);
}

/** Findings for choices of a gate whose label declares a key that another one has (SEMANTICS 55b). */
function* sameKeys(graph: Graph, gateId: string): Iterable<Finding> {
  const edges = outgoingEdges(graph, gateId);
  const choices = gateChoices(graph, gateId);
  const byKey = new Map(choices.map((choice, index) => [choice.key.toLowerCase(), { choice, index }]));
  for (const [index, choice] of choices.entries()) {
    const [edge, key] = [edges[index], choice.labelled ? acceleratorKey(choice.label) : undefined];
    const first = key === undefined ? undefined : byKey.get(key.toLowerCase());
    if (edge === undefined || key === undefined || first === undefined || first.choice === choice) continue;
    // The same choice twice is a matter of its label.
    if (labelsMatch(first.choice.label, choice.label)) continue;
    const free = freeKey(choice.label, byKey);
    yield {
      message: `the key ${excerpt(key)} of ${excerpt(choice.label)} chooses ${excerpt(first.choice.label)}, which has the same key and comes first; this choice has only the key ${excerpt(choice.key)}`,
      span: edge.attributes.get('label')?.valueSpan ?? edge.span,
      edge: [edge.from, edge.to],
      related: [{ span: edges[first.index]?.span ?? edge.span, message: 'the choice with this key' }],
      fix: {
        title: `give it its own key${free === undefined ? '' : `, such as \`[${free}]\``}`,
        edits: [],
      },
    };
  }
}

/**
 * Choices of a gate with the same label; several to the same node are one choice, whose ways differ by their
 * conditions.
 */
function* sameChoices(labelled: readonly Edge[]): Iterable<Finding> {
  const first = new Map<string, Edge>();
  for (const edge of labelled) {
    const text = edgeAttribute(edge, 'label');
    const label = normalizeLabel(text);
    if (label === '') continue;
    const earlierEdge = first.get(label);
    if (earlierEdge === undefined) first.set(label, edge);
    else if (earlierEdge.to !== edge.to) {
      yield {
        message: `${excerpt(edge.from)} offers ${excerpt(text)} twice, for ${excerpt(earlierEdge.to)} and for ${excerpt(edge.to)}: a person cannot tell the choices apart`,
        span: edge.attributes.get('label')?.valueSpan ?? edge.span,
        edge: [edge.from, edge.to],
        related: [{ span: earlierEdge.span, message: 'the first choice with this label' }],
        fix: { title: 'give the edges different labels', edits: [] },
      };
    }
  }
}

/** Letter of the label that is not a key yet. */
function freeKey(label: string, usedKeys: ReadonlyMap<string, unknown>): string | undefined {
  const letters = normalizeLabel(label).match(/\p{L}/gu) ?? [];
  return letters.find((letter) => !usedKeys.has(letter))?.toUpperCase();
}

function passesOn(graph: Graph, id: string, handlerTypes: LintContext['handlerTypes']): boolean {
  const node = graph.nodes.get(id);
  return node !== undefined && handlerTypeOf(graph, node, handlerTypes).inheritsOutcome;
}

function* sameLabels(
  labelled: readonly Edge[],
  handler: HandlerType,
  isDiamond: (id: string) => boolean,
): Iterable<Finding> {
  const first = new Map<string, Edge>();
  for (const edge of labelled) {
    if (edgeAttribute(edge, 'condition').trim() !== '') continue;
    const label = normalizeLabel(edgeAttribute(edge, 'label'));
    if (label === '') continue;
    const earlierEdge = first.get(label);
    if (earlierEdge === undefined) first.set(label, edge);
    else if (earlierEdge.to !== edge.to) {
      // After a failure the label chooses among the edges into diamonds alone (SEMANTICS 20).
      if (handler.failureReachesConditional && isDiamond(edge.to) && !isDiamond(earlierEdge.to)) continue;
      yield {
        message: `the label ${excerpt(edgeAttribute(edge, 'label'))} never leads to ${excerpt(edge.to)}: an edge from ${excerpt(edge.from)} to ${excerpt(earlierEdge.to)} has the same label, and the first one is taken`,
        span: edge.attributes.get('label')?.valueSpan ?? edge.span,
        edge: [edge.from, edge.to],
        related: [{ span: earlierEdge.span, message: 'the edge that is taken' }],
        fix: { title: 'give the edges different labels', edits: [] },
      };
    }
  }
}

function* choicesNotFollowed(graph: Graph, stage: StageEdges): Iterable<Finding> {
  const { node } = stage;
  const choices = choicesOf(node.edges);
  const told = new Set<string>();
  for (const [index, choice] of choices.entries()) {
    const edge = node.edges[index];
    // Several edges to one node with the same label are one choice.
    const key = JSON.stringify([normalizeLabel(choice.label), choice.to]);
    if (edge === undefined || told.has(key) || choiceIsFollowed(stage, choices, choice)) continue;
    told.add(key);
    yield notFollowed(graph, edge, choice.label);
  }
}

function notFollowed(graph: Graph, edge: ProgramEdge, label: string): Finding {
  return {
    message: `choosing ${excerpt(label)} at ${excerpt(edge.from)} never leads to ${excerpt(edge.to)}, because the conditions of its edges lead elsewhere`,
    span: spanOfEdge(graph, edge),
    edge: [edge.from, edge.to],
    fix: { title: 'remove the condition, or make it test the choice', edits: [] },
  };
}
