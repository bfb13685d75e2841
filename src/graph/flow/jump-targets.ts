import { nodeAttribute } from '../attributes.js';
import type { Graph, Node } from '../graph.js';

/** Attribute with the target of a jump, and the node that it names. */
export interface JumpTarget {
  readonly attribute: 'retry_target' | 'fallback_retry_target';
  readonly nodeId: string;
}

/** `retry_target`, then `fallback_retry_target`, those of them that are set (§3.7). */
export function jumpTargets(retryTarget: string, fallback: string): readonly JumpTarget[] {
  const targets: JumpTarget[] = [];
  if (retryTarget !== '') targets.push({ attribute: 'retry_target', nodeId: retryTarget });
  if (fallback !== '') targets.push({ attribute: 'fallback_retry_target', nodeId: fallback });
  return targets;
}

/** Jump targets of a node that are nodes and not the exit (SEMANTICS 20c); the first of them counts. */
export function usableJumpTargets(graph: Graph, node: Node, exitId: string): readonly JumpTarget[] {
  const written = jumpTargets(
    nodeAttribute(node, 'retry_target'),
    nodeAttribute(node, 'fallback_retry_target'),
  );
  return written.filter(({ nodeId }) => nodeId !== exitId && graph.nodes.has(nodeId));
}
