import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { parallelsAround } from '../../../graph/flow/branch-regions.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { branchNodes, type Foreach, foreachOf } from '../../../graph/parallel.js';
import { exitNodes, handlerTypeOf, outgoingEdges } from '../../../graph/queries.js';
import { namespaces } from '../../../parser/namespaces.js';
import { attributeOwners } from '../../attribute-owners.js';
import { listNames } from '../../list-names.js';
import { type NodeRegions, nodeRegions } from '../../node-regions.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 106: a list becomes branches of one kind, whose end and whose item have clear names. */
export const foreachValid: LintRule = {
  name: 'foreach_valid',
  severity: 'error',
  summary: 'A parallel node with `foreach` has one branch, a join and a valid name for the item.',
  rationale:
    'A parallel node with `foreach="${path}"` runs the branch at its only edge once for each item of the list. The stages of the branch read the item as `${context.item}`, or under the name in `as`, which must be neither a key of the engine nor the name of an outer `foreach`. If the branch has several stages, `join` must say where it ends, because the computed join of a single branch is rarely the intended one. Goal gates belong after the branches: a run has one outcome for each gate, not one for each item.',
  fixable: true,
  provesAbsence: true,
  *apply(graph, context) {
    const regions = nodeRegions(graph, context);
    for (const node of attributeOwners(graph).nodesWith('foreach')) {
      const attribute = node.attributes.get('foreach');
      const foreach = foreachOf(node);
      if (attribute === undefined || foreach === undefined) continue;
      if (!handlerTypeOf(graph, node, context.handlerTypes).forks) continue;
      for (const finding of problemsOf(graph, node, { attribute, foreach, places: regions, context }))
        yield { nodeId: node.id, ...finding };
    }
  },
};

interface ForeachFacts {
  readonly attribute: Attribute;
  readonly foreach: Foreach;
  readonly places: NodeRegions;
  readonly context: LintContext;
}

function* problemsOf(graph: Graph, node: Node, facts: ForeachFacts): Iterable<Finding> {
  const { attribute, foreach } = facts;
  if (foreach.path === undefined) yield notAPath(attribute, foreach.text);
  const as = node.attributes.get('as');
  const problem = whyNoName(foreach.as) ?? nameAround(graph, node, facts);
  if (problem !== undefined) {
    yield {
      message: `\`as\` of ${excerpt(node.id)} is ${excerpt(foreach.as)}, ${problem}`,
      span: as?.valueSpan ?? attribute.valueSpan,
      fix: { title: as === undefined ? 'name the item with `as`' : 'choose another name', edits: [] },
    };
  }
  const edges = outgoingEdges(graph, node.id);
  const [branch] = edges;
  if (edges.length > 1) {
    const targets = edges.map(({ to }) => to);
    yield {
      message: `${excerpt(node.id)} has \`foreach\` and ${edges.length} edges, to ${listNames(targets)}: the items become branches of a single edge`,
      span: attribute.valueSpan,
      fix: { title: 'keep one edge, to a stage that does all the work for an item', edits: [] },
    };
  } else if (branch !== undefined) yield* problemsInside(graph, node, branch.to, facts);
}

function notAPath(attribute: Attribute, text: string): Finding {
  const path = /^[A-Za-z_][\w.]*$/.test(text.trim()) ? `\${${text.trim()}}` : undefined;
  return {
    message: `\`foreach\` is ${excerpt(text)}; expected a list of the run, as one path: foreach="\${inputs.files}"`,
    span: attribute.valueSpan,
    fix: {
      title: path === undefined ? 'write one `${path}`' : `write \`${path}\``,
      edits: path === undefined ? [] : [{ span: attribute.valueSpan, text: JSON.stringify(path) }],
      unsafe: true,
    },
  };
}

/** Keys of the context that the engine or a handler owns (SEMANTICS 102). */
const reservedNames: ReadonlySet<string> = new Set([
  ...namespaces,
  'child',
  'current_node',
  'last_response',
  'last_stage',
  'outcome',
  'preferred_label',
]);

function whyNoName(as: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(as)) return 'which is not a name; expected letters, digits and `_`';
  return reservedNames.has(as) ? 'a name that the engine uses' : undefined;
}

/** Reason why a name is not free: a list around this one has it too. */
function nameAround(
  graph: Graph,
  node: Node,
  { foreach, places: regions }: ForeachFacts,
): string | undefined {
  const enclosingForks = regions.regionsOf(node.id).flatMap((region) => parallelsAround(region));
  const sameNamed = enclosingForks.find((id) => {
    const outer = graph.nodes.get(id);
    return outer !== undefined && foreachOf(outer)?.as === foreach.as;
  });
  return sameNamed === undefined ? undefined : `the same as that of ${excerpt(sameNamed)} around it`;
}

function* problemsInside(
  graph: Graph,
  node: Node,
  first: string,
  { attribute, places: regions, context }: ForeachFacts,
): Iterable<Finding> {
  const join = regions.joins.get(node.id);
  if (join === undefined) return;
  const ends = new Set([join, ...exitNodes(graph).map(({ id }) => id)]);
  const inside = [...branchNodes(graph, first, ends)].flatMap((id) => graph.nodes.get(id) ?? []);
  const isPlain =
    inside.length <= 1 && !inside.some((stage) => handlerTypeOf(graph, stage, context.handlerTypes).forks);
  if (!isPlain && nodeAttribute(node, 'join') === '') {
    const { end } = attribute.valueSpan;
    const isWritten = attribute.origin === 'explicit';
    yield {
      message: `the branch of ${excerpt(node.id)} has ${inside.length} stages, so \`join\` must name the stage after them (it now ends at ${excerpt(join)})`,
      span: attribute.valueSpan,
      fix: {
        title: `add \`join=${join}\` if intended`,
        edits: isWritten ? [{ span: { start: end, end }, text: `, join=${join}` }] : [],
        unsafe: true,
      },
    };
  }
  for (const gate of inside) {
    if (!nodeAttribute(gate, 'goal_gate')) continue;
    yield {
      nodeId: gate.id,
      message: `${excerpt(gate.id)} is a goal gate in a branch of ${excerpt(node.id)}, which runs once for each item`,
      span: gate.attributes.get('goal_gate')?.valueSpan ?? gate.span,
      fix: { title: 'make a stage after the branches the goal gate', edits: [] },
    };
  }
}
