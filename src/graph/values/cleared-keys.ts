import type { Node } from '../graph.js';
import type { HandlerType } from '../handler-types.js';
import { listedKeys } from './key-lists.js';
import { mayHaveOwnRules } from './own-rules.js';

/** Context keys that a visit of a node removes, so that no stale value routes (SEMANTICS 103). */
export interface ClearedKeys {
  /** Removed by each outcome of the node, before its own values are set: until then the stage itself reads them. */
  readonly always: readonly string[];
  /** Removed when a visit begins, from the second one on in the same line of control. */
  readonly again: readonly string[];
}

const nothing: ClearedKeys = { always: [], again: [] };
const ofTools: ClearedKeys = { always: ['tool.json'], again: [] };

/** Every tool replaces the JSON of the tool before it; `writes` is cleared, but for keys that the stage also reads. */
export function clearedKeys(node: Node, handler: HandlerType): ClearedKeys {
  const { always } = handler.type === 'tool' ? ofTools : nothing;
  const writes = node.attributes.get('writes');
  if (writes === undefined || !mayHaveOwnRules(handler)) return always.length === 0 ? nothing : ofTools;
  const reads = new Set(listedKeys(node.attributes.get('reads')).map(({ key }) => key));
  const again = listedKeys(writes).flatMap(({ key }) => (reads.has(key) ? [] : [key]));
  return { always, again };
}
