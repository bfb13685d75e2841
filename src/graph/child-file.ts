import { nodeAttribute } from './attributes.js';
import type { Attribute, Graph, Node } from './graph.js';
import type { HandlerType } from './handler-types.js';

/** Facts about a handler that runs a pipeline; one that also asks models is a manager, which observes its child. */
type ChildRunner = Pick<HandlerType, 'mayAskModel'>;

/**
 * Attribute with the file of the pipeline that a stage runs: its own, so that several managers can have different children,
 * else, for a manager, that of the graph. Undefined if it starts none.
 */
export function childAttribute(
  graph: Graph,
  node: Node,
  { mayAskModel: isManager }: ChildRunner,
): Attribute | undefined {
  if (isManager && !nodeAttribute(node, 'stack.child_autostart')) return undefined;
  const child = node.attributes.get('child');
  const isNamed = child !== undefined && textOf(child) !== '';
  return isNamed || !isManager ? child : graph.attributes.get('stack.child_dotfile');
}

/** File of the pipeline that a stage runs, as written; empty if it names none. */
export function childFile(graph: Graph, node: Node, handler: ChildRunner): string {
  const attribute = childAttribute(graph, node, handler);
  return attribute === undefined ? '' : textOf(attribute);
}

function textOf({ value }: Attribute): string {
  return String(value).trim();
}
