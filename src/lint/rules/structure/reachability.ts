import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import type { Edge, Graph, Node } from '../../../graph/graph.js';
import { exitNodes, outgoingEdges, startNodes } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { listNames } from '../../list-names.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * §7.2 `reachability`, as an error (SEMANTICS 38). A node that is cut off only because another one is, is
 * listed in that one's finding. If an id is misspelt, the search continues at the node that was most likely
 * meant: the misspelling has its own finding.
 */
export const reachability: LintRule = {
  name: 'reachability',
  severity: 'error',
  summary: 'Every node can be reached from the start node.',
  rationale:
    'A stage that no run can reach is work that silently never happens. The search follows edges, and also retry targets and fallback retry targets of nodes and of the graph, because a run jumps to them. With `require_goal_gates=true` it follows those of unreached goal gates too. Add the missing edge, or remove the node.',
  provesAbsence: true,
  tag: 'unnecessary',
  *apply(graph) {
    const starts = startNodes(graph);
    if (starts.length === 0 || isAllReached(graph, starts)) return;
    const transitions = transitionsOf(graph);
    const reached = new Set<string>();
    visit(transitions.entries, transitions.successors, reached);
    if (graph.nodes.size === reached.size) return;
    for (const node of orphansFirst(graph, reached, transitions)) {
      if (reached.has(node.id)) continue;
      const following = visit([node.id], transitions.successors, reached).slice(1);
      yield orphan(node, following);
    }
  },
};

/** True if edges alone lead everywhere, as in most graphs: then nothing else need be checked. */
function isAllReached(graph: Graph, starts: readonly Node[]): boolean {
  const { nodes, numberOf, ends, firstEnd } = adjacencyOf(graph);
  const isReached = new Uint8Array(nodes.length);
  const reached: number[] = [];
  const enter = (number: number): void => {
    if (number === -1 || isReached[number] === 1) return;
    isReached[number] = 1;
    reached.push(number);
  };
  for (const { id } of starts) enter(numberOf.get(id) ?? -1);
  for (let next = 0; next < reached.length; next += 1) {
    const number = reached[next] ?? 0;
    const end = firstEnd[number + 1] ?? 0;
    for (let index = firstEnd[number] ?? 0; index < end; index += 1) enter(ends[index] ?? -1);
  }
  return reached.length === nodes.length;
}

function orphan(node: Node, following: readonly string[]): Finding {
  const others =
    following.length === 0
      ? ''
      : `, and so ${following.length === 1 ? 'is the node' : `are the ${following.length} nodes`} after it: ${listNames(following)}`;
  return {
    message: `node ${excerpt(node.id)} is unreachable from start (orphan)${others}`,
    span: node.span,
    nodeId: node.id,
    fix: { title: `add an edge to \`${node.id}\`, or remove it`, edits: [] },
  };
}

interface Transitions {
  readonly entries: readonly string[];
  readonly successors: (id: string) => readonly string[];
}

function transitionsOf(graph: Graph): Transitions {
  const suggest = nameSuggester(graph.nodes.keys());
  const resolve = (id: string) => (graph.nodes.has(id) ? id : suggest(id));
  const exits = new Set(exitNodes(graph).map((node) => node.id));
  const misspelt = edgesOfMisspeltSources(graph, resolve);
  /** A retry never goes to the exit (SEMANTICS 20c). */
  const retryTargets = (targets: readonly string[]) =>
    targets.filter((id) => id !== '' && !exits.has(id)).map(resolve);

  /** A gate that was not visited sends the run back from the exit, where the graph says so (SEMANTICS 32). */
  const gates = graphAttribute(graph, 'require_goal_gates') ? goalGates(graph) : [];
  const entries = [
    ...startNodes(graph).map((node) => node.id),
    ...retryTargets([graphAttribute(graph, 'retry_target'), graphAttribute(graph, 'fallback_retry_target')]),
    ...gates.flatMap((gate) => retryTargets(jumpAttributes.map((name) => nodeAttribute(gate, name)))),
    ...misspelt.unresolved.map((edge) => resolve(edge.to)),
  ];
  return {
    entries: entries.filter((id) => id !== undefined),
    successors(id) {
      const node = graph.nodes.get(id);
      if (node === undefined) return [];
      const ids: string[] = [];
      const add = (to: string | undefined): void => {
        if (to !== undefined) ids.push(to);
      };
      for (const edge of outgoingEdges(graph, id)) add(resolve(edge.to));
      for (const edge of misspelt.bySource.get(id) ?? none) add(resolve(edge.to));
      for (const name of jumpAttributes) {
        if (node.attributes.has(name)) retryTargets([nodeAttribute(node, name)]).forEach(add);
      }
      return ids;
    },
  };
}

function goalGates(graph: Graph): readonly Node[] {
  const { nodesWith } = attributeOwners(graph);
  return nodesWith('goal_gate').filter((node) => nodeAttribute(node, 'goal_gate'));
}

const none: readonly Edge[] = [];
const jumpAttributes = ['retry_target', 'fallback_retry_target'] as const;

function edgesOfMisspeltSources(graph: Graph, resolve: (id: string) => string | undefined) {
  const bySource = new Map<string, Edge[]>();
  const unresolved: Edge[] = [];
  for (const edge of graph.edges) {
    if (graph.nodes.has(edge.from)) continue;
    const source = resolve(edge.from);
    if (source === undefined) {
      unresolved.push(edge);
      continue;
    }
    const siblings = bySource.get(source);
    if (siblings === undefined) bySource.set(source, [edge]);
    else siblings.push(edge);
  }
  return { bySource, unresolved };
}

/** Visits everything not yet in `reached`, and returns it, the entries first. */
function visit(
  entries: readonly string[],
  successors: Transitions['successors'],
  reached: Set<string>,
): readonly string[] {
  const visited: string[] = [];
  const enter = (id: string) => {
    if (reached.has(id)) return;
    reached.add(id);
    visited.push(id);
  };
  entries.forEach(enter);
  for (let index = 0; index < visited.length; index += 1) successors(visited[index] ?? '').forEach(enter);
  return visited;
}

/**
 * Unreached nodes, in an order in which a node precedes all that follow it and do not lead back to it: the
 * reverse of the order in which a depth-first search leaves them.
 */
function orphansFirst(
  graph: Graph,
  reached: ReadonlySet<string>,
  { successors }: Transitions,
): readonly Node[] {
  const seen = new Set(reached);
  const left: Node[] = [];
  for (const root of graph.nodes.values()) {
    if (seen.has(root.id)) continue;
    seen.add(root.id);
    const path = [{ node: root, rest: [...successors(root.id)] }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const id = top.rest.pop();
      const next = id === undefined ? undefined : graph.nodes.get(id);
      if (id === undefined) {
        left.push(top.node);
        path.pop();
      } else if (next !== undefined && !seen.has(id)) {
        seen.add(id);
        path.push({ node: next, rest: [...successors(id)] });
      }
    }
  }
  return left.reverse();
}
