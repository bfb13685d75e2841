import { nearestName } from '../../diagnostic/did-you-mean.js';
import type { Graph } from '../../graph/graph.js';
import { resultFields } from '../../graph/look-up.js';
import { contextKey } from '../../graph/values/key-lists.js';

/** Reason why a key below a root that only the engine fills can never be there (SEMANTICS 114). */
export interface ImpossibleKey {
  /** Path that was probably meant. */
  readonly meant: string | undefined;
  readonly remedy: string;
}

/** Undefined for a key that may exist. */
export function impossibleKey(graph: Graph, path: string): ImpossibleKey | undefined {
  const [root = '', ...rest] = contextKey(path).split('.');
  const name = rest.join('.');
  if (name === '') return undefined;
  switch (root) {
    case 'internal':
      return internalKey(graph, name);
    case 'graph':
      return attributeOfGraph(graph, name);
    case 'result':
      return fieldOfResult(name);
  }
  return undefined;
}

const retryCount = 'retry_count.';

const lastFailure = ['last_failure', 'last_failure.node', 'last_failure.reason', 'last_failure.category'];

function internalKey(graph: Graph, name: string): ImpossibleKey | undefined {
  if (name === 'restart_count') return undefined;
  if (lastFailure.includes(name)) return undefined;
  if (name.startsWith(retryCount)) {
    const id = name.slice(retryCount.length);
    if (graph.nodes.has(id)) return undefined;
    const node = nearestName(id, [...graph.nodes.keys()]);
    return suggestion(node && `internal.${retryCount}${node}`, 'name a node after `internal.retry_count.`');
  }
  if (/visit|loop|iteration|round|cycle|attempt/.test(name)) {
    const remedy = 'read `stages.NODE.visits`, or bound the visits of the node with `max_visits`';
    return { meant: undefined, remedy };
  }
  const nearest = nearestName(name, ['restart_count', ...lastFailure]);
  return suggestion(
    nearest && `internal.${nearest}`,
    'read `internal.restart_count`, `internal.retry_count.NODE` or `internal.last_failure.reason`',
  );
}

/** Every attribute that the graph has is in the context, and the goal in any case (SEMANTICS 72). */
function attributeOfGraph(graph: Graph, name: string): ImpossibleKey | undefined {
  if (name === 'goal' || graph.attributes.has(name)) return undefined;
  const nearest = nearestName(name, ['goal', ...graph.attributes.keys()]);
  return suggestion(nearest && `graph.${nearest}`, `add \`${name}\` to the graph`);
}

/** Fields of `result.` whose values have members. */
const fieldsWithMembers: readonly string[] = ['suggested_next_ids', 'context_updates'];

/** Any other name may be a key that the stage before has set. */
function fieldOfResult(name: string): ImpossibleKey | undefined {
  const fields: readonly string[] = resultFields;
  const [first = ''] = name.split('.');
  if (fields.includes(first))
    return first === name || fieldsWithMembers.includes(first)
      ? undefined
      : suggestion(`result.${first}`, '');
  if (first !== name) return undefined;
  const nearest = nearestName(name, fields, 0.2);
  return nearest === undefined ? undefined : suggestion(`result.${nearest}`, '');
}

function suggestion(nearest: string | undefined, otherwise: string): ImpossibleKey {
  return {
    meant: nearest,
    remedy: nearest === undefined ? otherwise : `write \`${nearest}\` if that is intended`,
  };
}
