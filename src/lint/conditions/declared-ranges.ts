import type { Graph } from '../../graph/graph.js';
import { joinPoints } from '../../graph/join-points.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { handlerTypeOf, incomingEdges } from '../../graph/queries.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { assignmentsOf } from '../../graph/values/assignments.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { type KeyEntry, keyListOf } from '../../graph/values/key-lists.js';
import { attributeOwners } from '../attribute-owners.js';
import type { KnownRanges } from './condition-set.js';
import type { Range } from './representatives.js';

/**
 * Words that keys have where a node routes, because inputs declare them, or the stage that has just succeeded had to set them
 * (SEMANTICS 101, 103).
 * @param expected outcomes of the node: only a success has the keys of `writes`
 */
export function declaredRanges(
  graph: Graph,
  nodeId: string,
  expected: ReadonlySet<StageStatus>,
  handlerTypes: KnownHandlerTypes,
): KnownRanges {
  const inputs = [...(declaredInputs(graph)?.values() ?? [])].map((entry) => ({
    ...entry,
    key: `inputs.${entry.key}`,
    isOptional: entry.isOptional && entry.default === undefined,
  }));
  const mayLackKeys = [...expected].some((status) => status !== 'success' && status !== 'fail');
  const written = mayLackKeys ? noRanges : writtenBefore(graph, nodeId, handlerTypes, new Set());
  return new Map([...wordsIn(inputs), ...written]);
}

const noRanges: KnownRanges = new Map();

function wordsIn(entries: readonly KeyEntry[]): ReadonlyMap<string, Range> {
  return new Map(
    entries.flatMap(({ key, type, isOptional }): readonly [string, Range][] =>
      type?.kind === 'words' && !isOptional ? [[key, { kind: 'words', words: type.words }]] : [],
    ),
  );
}

/** Keys that the stage has set, or every stage from which control comes to a diamond. */
function writtenBefore(
  graph: Graph,
  nodeId: string,
  handlerTypes: KnownHandlerTypes,
  seen: Set<string>,
): KnownRanges {
  const node = graph.nodes.get(nodeId);
  if (node === undefined) return noRanges;
  const writes = node.attributes.get('writes');
  const own = wordsIn((writes && keyListOf(writes).list?.entries) ?? []);
  if (!handlerTypeOf(graph, node, handlerTypes).inheritsOutcome) return own;
  if (seen.has(nodeId) || seen.size > mostDiamonds) return noRanges;
  seen.add(nodeId);
  if (enteredOtherwise(graph, handlerTypes).has(nodeId)) return own;
  const assigned = new Set(assignmentsOf(node).map(({ key }) => key));
  const sources = new Set(incomingEdges(graph, nodeId).map(({ from }) => from));
  const before = [...sources].map((from) => writtenBefore(graph, from, handlerTypes, seen));
  const [first = noRanges, ...others] = before;
  const shared = [...first].filter(
    ([key, range]) =>
      !assigned.has(key) &&
      others.every((ranges) => JSON.stringify(ranges.get(key)) === JSON.stringify(range)),
  );
  return new Map([...shared, ...own]);
}

const mostDiamonds = 20;

/** Nodes to which control comes by other ways than edges: joins, and retry targets. */
const enteredOtherwise = perGraph((graph, handlerTypes): ReadonlySet<string> => {
  const { nodesWith } = attributeOwners(graph);
  const names = ['retry_target', 'fallback_retry_target'];
  const targets = names.flatMap((name) =>
    [graph, ...nodesWith(name)].map(({ attributes }) => String(attributes.get(name)?.value ?? '')),
  );
  return new Set([...joinPoints(graph, handlerTypes).values(), ...targets]);
});
