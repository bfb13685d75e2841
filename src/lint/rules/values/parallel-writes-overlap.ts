import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Node } from '../../../graph/graph.js';
import { writtenKeys } from '../../../graph/values/written-keys.js';
import { contextReads } from '../../analysis/context-reads.js';
import { isAlwaysSet, writingNodes } from '../../analysis/context-writes.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from '../../analysis/control-flow.js';
import { mergesBranches } from '../../analysis/merged-branches.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 50, 51: every branch has its own context, and none of it is merged unless `on_conflict` says so. */
export const parallelWritesOverlap: LintRule = {
  name: 'parallel_writes_overlap',
  severity: 'warning',
  summary: 'Branches of a parallel node write different keys, or their results are read separately.',
  rationale:
    'Every branch has its own context, and after the join the context is the one from before the branches: if two branches write the same key, later stages see neither value. Both values are in `parallel.results`; after a fan-in, the chosen one is in `parallel.fan_in.best.context_updates`. Read them there, use a different key in each branch, or merge the values with `on_conflict`. If something already reads `parallel.…`, or only a fan-in follows, the finding is only an info or is omitted.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    if (writingNodes(graph).size === 0) return;
    const flow = controlFlow(graph, handlerTypes);
    const reads = contextReads(graph);
    if (!flow.isComplete || reads.some(({ key }) => key.startsWith('parallel.'))) return;
    const keysRead = new Set(reads.map(({ key }) => key));
    const forks = new Map(
      flow.points
        .filter(({ node, handler }) => handler.forks && !mergesBranches(node))
        .map((point) => [point.node.id, point]),
    );
    for (const point of forks.values()) yield* overlapsOf(flow, point, keysRead);
  },
};

/** Maximum of steps, more than any real branch has. */
const mostSteps = 200_000;

function* overlapsOf(
  flow: ControlFlow,
  fork: ProgramPoint,
  keysRead: ReadonlySet<string>,
): Iterable<Finding> {
  const writers = new Map<string, Map<Node, number>>();
  const overlaps = new Map<string, readonly [Node, Node]>();
  let steps = 0;
  for (const [branch, first] of branchesOf(flow, fork).entries()) {
    const reached = new Set([first]);
    for (const { index, node } of reached) {
      steps += 1;
      if (steps > mostSteps) return;
      for (const { key } of writtenKeys(node)) {
        const existing = writers.get(key) ?? new Map<Node, number>();
        writers.set(key, existing);
        // A stage that two branches share is one stage, and meant for both.
        const other = [...existing].find(([one, from]) => one !== node && from !== branch);
        if (other !== undefined && !overlaps.has(key)) overlaps.set(key, [other[0], node]);
        if (existing.size < mostWriters && !existing.has(node)) existing.set(node, branch);
      }
      for (const { to, by } of flow.stepsFrom(index)) {
        // Values in a nested branch stay there too, unless they are merged.
        const point = by === 'branch' && !mergesBranches(node) ? undefined : flow.points[to];
        if (point !== undefined) reached.add(point);
      }
    }
  }
  for (const [key, pair] of overlaps) {
    if (!isAlwaysSet(key)) yield finding(flow, fork.node, key, pair, keysRead.has(key));
  }
}

/** Maximum of writers; two of different branches suffice. */
const mostWriters = 8;

/** First places of the branches; two edges to one node are branches of the same stages. */
function branchesOf(flow: ControlFlow, { index }: ProgramPoint): readonly ProgramPoint[] {
  const entries = flow.stepsFrom(index).filter(({ by }) => by === 'branch');
  return [...new Set(entries.flatMap(({ to }) => flow.points[to] ?? []))];
}

function finding(
  flow: ControlFlow,
  parallel: Node,
  key: string,
  [one, other]: readonly [Node, Node],
  isRead: boolean,
): Finding {
  const joinId = flow.joins.get(parallel.id);
  const join = flow.placesOf(joinId ?? '')[0]?.handler;
  const chooses = join?.joins === true;
  return {
    severity: chooses && !isRead ? 'info' : undefined,
    message: `${listNames([one.id, other.id])} are in different branches of ${excerpt(parallel.id)}, and both write \`${key}\`: after ${excerpt(joinId ?? '')} that key has neither value`,
    span: other.span,
    nodeId: other.id,
    related: [{ span: one.span, message: `${excerpt(one.id)} writes it too` }],
    fix: {
      title: chooses
        ? `read \`parallel.fan_in.best.context_updates.${key}\`, or write different keys`
        : 'read them from `parallel.results`, write different keys, or merge the branches with `on_conflict`',
      edits: [],
    },
  };
}
