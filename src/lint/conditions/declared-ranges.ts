import { keysOf } from '../../graph/evaluate-condition.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { textOfValue } from '../../graph/look-up.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import { expectedValueFlow } from '../analysis/value-flow.js';
import type { Alternative, Shape } from '../analysis/value-shape.js';
import type { KnownRanges } from './condition-set.js';
import type { StageEdges } from './stage-edges.js';
import { flatKey } from './variable.js';

/**
 * Words that keys have where a node routes and has not failed: inputs declare them, stages before must have set them, or they are
 * assigned (SEMANTICS 101–103).
 */
export function declaredRanges(
  graph: Graph,
  { node, conditional }: StageEdges,
  handlerTypes: KnownHandlerTypes,
): KnownRanges {
  const flow = expectedValueFlow(graph, handlerTypes);
  const clauses = conditional.flatMap(({ condition }) =>
    condition === undefined ? [] : clausesOf(condition),
  );
  const paths = new Set(clauses.flatMap(keysOf).map(({ path }) => path));
  paths.delete('outcome');
  paths.delete('preferred_label');
  return new Map(
    [...paths].flatMap((path): [string, { kind: 'words'; words: readonly string[] }][] => {
      const words = wordsOf(flow.afterSuccess(node.node, path));
      return words === undefined ? [] : [[flatKey(path), { kind: 'words', words }]];
    }),
  );
}

/** Texts that the value may have; undefined if it may be missing, or have others. */
function wordsOf(shape: Shape): readonly string[] | undefined {
  const texts = [...shape.values()].map(textsOf);
  return texts.some((one) => one === undefined) ? undefined : texts.flatMap((one) => one ?? []);
}

function textsOf(one: Alternative): readonly string[] | undefined {
  if (one.kind === 'constant') return [textOfValue(one.value)];
  return one.kind === 'type' && one.type.kind === 'boolean' ? ['true', 'false'] : undefined;
}
