import type { Node } from '../../graph/graph.js';
import { type HandlerType, handlerTypeNamed } from '../../graph/handler-types.js';
import { keyListOf } from '../../graph/values/key-lists.js';

/**
 * True for a stage that sets no other keys than it says: one that declares what it writes, and one that neither runs programs nor
 * asks a model, so that only its handler sets keys (SEMANTICS 103).
 */
export function isClosed(node: Node, handler: HandlerType): boolean {
  const writes = node.attributes.get('writes');
  if (writes !== undefined) return keyListOf(writes).list !== undefined;
  return !handler.runsPrograms && handlerTypeNamed(handler.type) !== undefined;
}
