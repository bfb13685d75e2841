import { excerpt } from '../../diagnostic/excerpt.js';
import { edgeAttribute, nodeAttribute } from '../../graph/attributes.js';
import { cyclicGroups, shortestCycle } from '../../graph/cycles.js';
import type { Graph, Node } from '../../graph/graph.js';
import { usableJumpTargets } from '../../graph/jump-targets.js';
import { conditionOf, exitNodes, handlerTypeOf, outgoingEdges, startNodes } from '../../graph/queries.js';
import type { Comparison, Condition } from '../../parser/condition/ast.js';
import type { LintContext, LintRule } from '../rule.js';

/** SEMANTICS 34: nothing but the limit of the whole run ends a loop of LLM stages that no person and no limit of its own ends. */
export const unboundedLoop: LintRule = {
  name: 'unbounded_loop',
  severity: 'warning',
  summary: 'A loop with LLM stages has a `max_visits`, or a person in it.',
  rationale:
    'A loop that does not get anywhere goes on until the run has executed `max_steps` stages: 1000, where the graph says nothing else, and each of them may cost money. The loop may be one of edges, or one that a `retry_target` closes. Set `max_visits` on a stage of the loop to the number of rounds that make sense; where that is exceeded, the run fails and says so. A human gate in the loop bounds it too, and so does a `max_steps` that the graph sets.',
  provesAbsence: true,
  *apply(graph, context) {
    if (graph.attributes.has('max_steps')) return;
    const loops = new Loops(graph, context);
    for (const group of loops.groups()) {
      const [first] = group.filter(({ isLlm }) => isLlm);
      if (first === undefined) continue;
      const { node } = first;
      const way = loops.wayAround(node.id, new Set(group.map(({ node: { id } }) => id)));
      yield {
        message: `the loop ${way} may go on until \`max_steps\` ends the run: no stage of it has \`max_visits\`, and no person is asked`,
        span: node.span,
        nodeId: node.id,
        fix: { title: 'add `max_visits` to a stage of the loop', edits: [] },
      };
    }
  },
};

interface Member {
  readonly node: Node;
  readonly isLlm: boolean;
}

const longestWayShown = 6;

/** The ways on that no person and no limit of a node bounds. */
class Loops {
  readonly #graph: Graph;
  readonly #exitId: string;
  /** In the order of the text. */
  readonly #members = new Map<string, Member>();
  readonly #successors = new Map<string, readonly string[]>();

  constructor(graph: Graph, { handlerTypes }: LintContext) {
    this.#graph = graph;
    this.#exitId = exitNodes(graph)[0]?.id ?? '';
    // What leads to the start, and from the exit, has a finding of its own.
    const ends = new Set([...startNodes(graph), ...exitNodes(graph)]);
    for (const node of graph.nodes.values()) {
      const { type, llm } = handlerTypeOf(graph, node, handlerTypes);
      const isBounded = type === 'wait.human' || nodeAttribute(node, 'max_visits') !== undefined;
      if (isBounded || ends.has(node)) continue;
      this.#members.set(node.id, { node, isLlm: llm });
    }
  }

  groups(): readonly (readonly Member[])[] {
    const groups = cyclicGroups(this.#members.keys(), (id) => this.#successorsOf(id));
    const order = new Map([...this.#members.keys()].map((id, index) => [id, index]));
    return groups.map((group) =>
      [...group]
        .sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))
        .flatMap((id) => this.#members.get(id) ?? []),
    );
  }

  /** `"a" -> "b" -> "a"`, with the attribute of a jump behind its target. */
  wayAround(start: string, group: ReadonlySet<string>): string {
    const way = shortestCycle(start, group, (id) => this.#successorsOf(id));
    const steps = way.map((id, index) => {
      const from = way[index - 1];
      return from === undefined || this.#hasEdge(from, id)
        ? excerpt(id)
        : `${excerpt(id)} (by a retry target)`;
    });
    if (steps.length <= longestWayShown) return steps.join(' -> ');
    return [...steps.slice(0, longestWayShown - 2), '…', steps.at(-1)].join(' -> ');
  }

  #hasEdge(from: string, to: string): boolean {
    return outgoingEdges(this.#graph, from).some((edge) => edge.to === to);
  }

  #successorsOf(id: string): readonly string[] {
    const known = this.#successors.get(id);
    if (known !== undefined) return known;
    const successors = this.#findSuccessors(id).filter((to) => this.#members.has(to));
    this.#successors.set(id, successors);
    return successors;
  }

  #findSuccessors(id: string): readonly string[] {
    const node = this.#graph.nodes.get(id);
    if (node === undefined) return [];
    // A restart begins afresh, and is bounded by `max_restarts`.
    const edges = outgoingEdges(this.#graph, id).filter((edge) => !edgeAttribute(edge, 'loop_restart'));
    const isCaught = edges.some((edge) => holdsOnFailure(conditionOf(edge).condition));
    const [jump] = isCaught ? [] : usableJumpTargets(this.#graph, node, this.#exitId);
    return [...edges.map(({ to }) => to), ...(jump === undefined ? [] : [jump.nodeId])];
  }
}

/** Whether a failure always takes an edge with this condition, so that no retry target is asked (§3.7). */
function holdsOnFailure(condition: Condition | undefined): boolean {
  switch (condition?.kind) {
    case undefined:
    case 'not':
    case 'exists':
    case 'truthy':
      return false;
    case 'constant':
      return condition.value;
    case 'or':
      return condition.operands.some(holdsOnFailure);
    case 'and':
      return condition.operands.every(holdsOnFailure);
    case 'comparison':
      return comparesWithFailure(condition);
  }
}

function comparesWithFailure({ operator, left, right }: Comparison): boolean {
  if (left.kind !== 'key' || left.path !== 'outcome') return false;
  const items = right.kind === 'list' ? right.items : [right];
  const names = items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
  if (operator === '=' || operator === 'in') return names.includes('fail');
  return operator === '!=' && names.length === 1 && !names.includes('fail');
}
