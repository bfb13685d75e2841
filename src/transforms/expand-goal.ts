import { graphAttribute, nodeAttribute } from '../graph/attributes.js';
import type { Attribute, Graph, Node } from '../graph/graph.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { handlerTypeOf } from '../graph/queries.js';
import type { Transform } from './transform.js';

/**
 * Puts the graph's goal in place of `$goal` in the prompts of nodes, and in the label where that is the prompt (§9.2,
 * SEMANTICS 60). One pass: a `$goal` within the goal stays. Commands are left alone, where a shell variable may be meant.
 */
export const expandGoal: Transform = {
  name: 'expand_goal',
  apply(graph) {
    const goal = graphAttribute(graph, 'goal');
    let changed = false;
    const nodes = new Map<string, Node>();
    for (const [id, node] of graph.nodes) {
      const expanded = expandNode(graph, node, goal);
      changed ||= expanded !== node;
      nodes.set(id, expanded);
    }
    return changed ? { ...graph, nodes } : graph;
  },
};

/** Not followed by a character of a longer name: `$goals` is something else. */
const goalVariable = /\$goal(?![A-Za-z0-9_])/g;

function expandNode(graph: Graph, node: Node, goal: string): Node {
  const prompt = promptAttribute(graph, node);
  if (prompt === undefined || typeof prompt.value !== 'string') return node;
  // By a function: the goal may have `$&` and the like in it.
  const value = prompt.value.replace(goalVariable, () => goal);
  if (value === prompt.value) return node;
  const attributes = new Map(node.attributes).set(prompt.name, { ...prompt, value, origin: 'transform' });
  return { ...node, attributes };
}

const builtInTypes = knownHandlerTypes();

function promptAttribute(graph: Graph, node: Node): Attribute | undefined {
  if (nodeAttribute(node, 'prompt') !== '') return node.attributes.get('prompt');
  return handlerTypeOf(graph, node, builtInTypes).llm ? node.attributes.get('label') : undefined;
}
