import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import type { Graph } from '../../../graph/graph.js';
import { exitNodes, failConditionOf, outgoingEdges } from '../../../graph/queries.js';
import { alwaysFails } from '../../analysis/always-fails.js';
import { controlFlow, goalGateTargets } from '../../analysis/control-flow.js';
import { deadEnds, type Trap } from '../../analysis/dead-ends.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 22, 34: a run that gets there never reaches the exit. */
export const exitUnreachable: LintRule = {
  name: 'exit_unreachable',
  severity: 'warning',
  summary: 'The exit is reachable from every stage that a run can reach.',
  rationale:
    'A run that can no longer reach the exit loops until a limit ends it, or ends where no edge can be taken: it then counts as a success although it never reached the exit. A last stage that always fails (`exit 1`, `fail_when="true"`) is assumed to end the run on purpose and is not reported. The search follows edges, retry targets and the jumps back from the exit. Add an edge to the exit, or to a stage that leads there.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    const [exit] = exitNodes(graph);
    // A misspelt end of an edge has its own error, and hides the target of the edge.
    if (exit === undefined || !adjacencyOf(graph).isWhole) return;
    const flow = controlFlow(graph, handlerTypes);
    if (!flow.isComplete) return;
    for (const trap of deadEnds(flow, exit.id)) {
      if (!isAbort(graph, trap)) yield* finding(graph, trap, exit.id);
    }
  },
};

/** True for a last stage whose command always fails: it ends the run on purpose, and not as a success. */
function isAbort(graph: Graph, { nodeIds, isDeadEnd }: Trap): boolean {
  const [node] = nodeIds.flatMap((id) => graph.nodes.get(id) ?? []);
  if (!isDeadEnd || node === undefined) return false;
  const { condition } = failConditionOf(node);
  const failsItself = condition?.kind === 'constant' && condition.value;
  return failsItself || alwaysFails(nodeAttribute(node, 'tool_command'));
}

function* finding(graph: Graph, trap: Trap, exitId: string): Iterable<Finding> {
  const [id = ''] = trap.nodeIds;
  const node = graph.nodes.get(id);
  if (node === undefined) return;
  const others =
    trap.leadingThere.length === 0 ? '' : `; ${listNames(trap.leadingThere)} can only lead there`;
  yield {
    message: `dead end: ${claim(graph, trap, exitId)}${others}`,
    span: node.span,
    nodeId: id,
    fix: { title: `add an edge from \`${trap.nodeIds.at(-1) ?? id}\` towards the exit`, edits: [] },
  };
}

/** Claim about a trap; at a dead end, the goal gates are checked as at the exit (SEMANTICS 22). */
function claim(graph: Graph, trap: Trap, exitId: string): string {
  const id = excerpt(trap.nodeIds[0] ?? '');
  const isEnd =
    trap.isDeadEnd && !trap.isInBranch && outgoingEdges(graph, trap.nodeIds[0] ?? '').length === 0;
  if (isEnd && goalGateTargets(graph).size > 0) {
    return `no edge leaves ${id}, so the run ends there without reaching the exit ${excerpt(exitId)}, unless a goal gate sends it back`;
  }
  const end = trap.isInBranch ? 'the end of its branch' : `the exit ${excerpt(exitId)}`;
  return `${id} cannot reach ${end}: ${reason(graph, trap)}`;
}

function reason(graph: Graph, { nodeIds, isDeadEnd }: Trap): string {
  const [only, ...more] = nodeIds;
  if (isDeadEnd && outgoingEdges(graph, only ?? '').length > 0) return 'none of its edges can be taken there';
  if (isDeadEnd) return 'no edge leaves it, so the run ends there';
  if (more.length === 0) return `it only leads back to ${excerpt(only ?? '')}`;
  return `the edges of ${listNames(nodeIds)} only form a loop`;
}
