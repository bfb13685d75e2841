import { excerpt } from '../../../diagnostic/excerpt.js';
import { listFirst } from '../../../diagnostic/list-first.js';
import { namedThread, writtenFidelity } from '../../../graph/fidelity.js';
import { usableJumpTargets } from '../../../graph/flow/jump-targets.js';
import type { Attribute, Edge, Graph, Node } from '../../../graph/graph.js';
import { handlerTypeNamed } from '../../../graph/handler-types.js';
import { exitNodes, handlerTypeOf, incomingEdges, outgoingEdges } from '../../../graph/queries.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 124: `full` continues a conversation, for which another stage must have begun it. */
export const fullWithoutThread: LintRule = {
  name: 'full_without_thread',
  severity: 'warning',
  summary: 'A stage with `full` fidelity shares its thread.',
  rationale:
    'Under `full` fidelity a stage continues the conversation of its thread. The thread is named by `thread_id`, `default_thread_id` or a labelled subgraph; without a name, it is that of the stage before. So where nothing names it, the stages of a sequence have a thread each, and where a name occurs once, there is nothing to continue either: the stage begins a conversation of its own, with a summary of the run, as under `summary:high`. Give the same `thread_id` to the stages that are to share a conversation, or `default_thread_id` to the graph. A stage that is entered again in the same thread continues its own conversation, and is not reported.',
  *apply(graph, context) {
    if (!mayHaveFull(graph)) return;
    const entries = entriesOf(graph, context);
    const sharers = sharersOf(entries);
    const alone = new Map<Attribute, Entry[]>();
    for (const [id, own] of entries) {
      const lonely = lonelyEntry(graph, own, sharers);
      const { attribute } = lonely ?? {};
      if (lonely === undefined || attribute === undefined) continue;
      if (!isModelStage(graph, id, context)) continue;
      alone.set(attribute, [...(alone.get(attribute) ?? []), lonely]);
    }
    for (const [attribute, stages] of alone) yield finding(attribute, stages);
  },
};

/** Way into a stage with `full` fidelity. */
interface Entry {
  readonly nodeId: string;
  readonly edge: Edge | undefined;
  readonly thread: string;
  readonly isNamed: boolean;
  /** Attribute that gives the fidelity. */
  readonly attribute: Attribute | undefined;
}

function mayHaveFull(graph: Graph): boolean {
  const isFull = ({ attributes }: Pick<Graph | Node | Edge, 'attributes'>): boolean =>
    ['fidelity', 'default_fidelity', 'context_fidelity_default'].some(
      (name) => attributes.get(name)?.value === 'full',
    );
  return isFull(graph) || [...graph.nodes.values()].some(isFull) || graph.edges.some(isFull);
}

/** Ways into each stage that has a conversation; handlers of plugins may have one too. */
function entriesOf(graph: Graph, { handlerTypes }: LintContext): ReadonlyMap<string, readonly Entry[]> {
  const entries = new Map<string, Entry[]>();
  const add = (node: Node, from: string, edge?: Edge): void => {
    const type = handlerTypeOf(graph, node, handlerTypes);
    if (!type.llm && handlerTypeNamed(type.type) !== undefined) return;
    const fidelity = writtenFidelity(graph, node, edge);
    if (fidelity?.mode !== 'full') return;
    const name = namedThread(graph, node, edge);
    const entry = {
      nodeId: node.id,
      edge,
      thread: name || from,
      isNamed: name !== '',
      attribute: fidelity.attribute,
    };
    entries.set(node.id, [...(entries.get(node.id) ?? []), entry]);
  };
  for (const node of graph.nodes.values()) {
    for (const edge of incomingEdges(graph, node.id)) add(node, edge.from, edge);
  }
  for (const { from, target } of jumpsOf(graph)) {
    const node = graph.nodes.get(target);
    if (node !== undefined) add(node, from);
  }
  return entries;
}

/** Jumps that a run may make, of stages that fail and of goal gates at the exit. */
function* jumpsOf(graph: Graph): Iterable<{ readonly from: string; readonly target: string }> {
  const [exit] = exitNodes(graph);
  if (exit === undefined) return;
  for (const node of graph.nodes.values()) {
    for (const { nodeId: target } of usableJumpTargets(graph, node, exit.id)) {
      yield { from: node.id, target };
      yield { from: exit.id, target };
    }
  }
  for (const name of ['retry_target', 'fallback_retry_target']) {
    const target = graph.attributes.get(name)?.value;
    if (typeof target === 'string' && target !== '') yield { from: exit.id, target };
  }
}

/** Stages by the threads that they may have. */
function sharersOf(entries: ReadonlyMap<string, readonly Entry[]>): ReadonlyMap<string, ReadonlySet<string>> {
  const sharers = new Map<string, Set<string>>();
  for (const { thread, nodeId } of [...entries.values()].flat()) {
    sharers.set(thread, (sharers.get(thread) ?? new Set()).add(nodeId));
  }
  return sharers;
}

/** Entry in whose thread nothing else happens; undefined if the stage shares another thread, or continues its own conversation. */
function lonelyEntry(
  graph: Graph,
  own: readonly Entry[],
  sharers: ReadonlyMap<string, ReadonlySet<string>>,
): Entry | undefined {
  if (own.some(({ thread }) => (sharers.get(thread)?.size ?? 0) > 1)) return undefined;
  return own.find(
    (entry) =>
      entry.edge !== undefined &&
      own.every((other) => other === entry || other.thread !== entry.thread) &&
      !isOnCycle(graph, entry.edge),
  );
}

/** True if control may come this way again within the same conversations, which a restart ends. */
function isOnCycle(graph: Graph, { from, to }: Edge): boolean {
  const seen = new Set([to]);
  const jumps = [...jumpsOf(graph)];
  for (const id of seen) {
    if (id === from) return true;
    for (const edge of outgoingEdges(graph, id)) {
      if (edge.attributes.get('loop_restart')?.value !== true) seen.add(edge.to);
    }
    for (const jump of jumps) if (jump.from === id) seen.add(jump.target);
  }
  return false;
}

function isModelStage(graph: Graph, id: string, { handlerTypes }: LintContext): boolean {
  const node = graph.nodes.get(id);
  return node !== undefined && handlerTypeOf(graph, node, handlerTypes).llm;
}

function finding(attribute: Attribute, stages: readonly Entry[]): Finding {
  const [first] = stages;
  const names = listFirst(
    stages.map(({ nodeId }) => nodeId),
    3,
    excerpt,
  );
  const why =
    stages.length > 1
      ? 'each in a thread of its own'
      : first?.isNamed === true
        ? `no other stage has its thread ${excerpt(first.thread)}`
        : `its thread, named by the stage before (${excerpt(first?.thread ?? '')}), belongs to it alone`;
  return {
    message: `${names} ${stages.length > 1 ? 'have' : 'has'} \`full\` fidelity, but no conversation to continue: ${why}`,
    span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
    nodeId: stages.length === 1 ? first?.nodeId : undefined,
    fix: {
      title: 'give the stages that share a conversation the same `thread_id`, or remove the fidelity',
      edits: [],
    },
  };
}
