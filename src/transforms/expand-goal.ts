import { graphAttribute } from '../graph/attributes.js';
import type { Attribute, Graph, Insertion, Node } from '../graph/graph.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { handlerTypeOf } from '../graph/queries.js';
import type { Transform } from './transform.js';

/**
 * Replaces `$goal` by the graph's goal in the prompts of nodes, in the label if that is the prompt, and in the system prompt
 * (§9.2, SEMANTICS 60). One pass: a `$goal` within the goal stays. Commands are left alone, because a shell
 * variable may be meant.
 */
export const expandGoal: Transform = {
  name: 'expand_goal',
  apply(graph) {
    const goal = graphAttribute(graph, 'goal');
    // A default block gives the same attribute to many nodes: it stays the same.
    const expand = expandedOnce(goal);
    const system = graph.attributes.get('system_prompt');
    const attributes =
      system === undefined ? graph.attributes : new Map(graph.attributes).set(system.name, expand(system));
    let nodes: Map<string, Node> | undefined;
    for (const [id, node] of graph.nodes) {
      const expanded = expandNode(graph, node, expand);
      if (expanded === node) continue;
      nodes ??= new Map(graph.nodes);
      nodes.set(id, expanded);
    }
    if (nodes === undefined && attributes.get('system_prompt') === system) return graph;
    return { ...graph, attributes, nodes: nodes ?? graph.nodes };
  },
};

/** Not followed by a character of a longer name: `$goals` is something else. */
const goalVariable = /\$goal(?![A-Za-z0-9_])/g;

type Expand = (attribute: Attribute) => Attribute;

function expandNode(graph: Graph, node: Node, expand: Expand): Node {
  const prompt = promptWithGoal(graph, node);
  if (prompt === undefined) return node;
  const expanded = expand(prompt);
  if (expanded === prompt) return node;
  return { ...node, attributes: new Map(node.attributes).set(prompt.name, expanded) };
}

function expandedOnce(goal: string): Expand {
  const known = new Map<Attribute, Attribute>();
  return (attribute) => {
    const expanded = known.get(attribute) ?? expandAttribute(attribute, goal);
    known.set(attribute, expanded);
    return expanded;
  };
}

function expandAttribute(attribute: Attribute, goal: string): Attribute {
  const { value: written } = attribute;
  if (typeof written !== 'string') return attribute;
  const insertions: Insertion[] = [];
  let growth = 0;
  // By a function: the goal may have `$&` and the like in it.
  const value = written.replace(goalVariable, (variable, offset: number) => {
    const start = offset + growth;
    insertions.push({ span: { start, end: start + goal.length }, writtenLength: variable.length });
    growth += goal.length - variable.length;
    return goal;
  });
  return value === written ? attribute : { ...attribute, value, origin: 'transform', insertions };
}

const builtInTypes = knownHandlerTypes();

/** The attribute that a node sends to a model, if `$goal` occurs in it. */
function promptWithGoal(graph: Graph, node: Node): Attribute | undefined {
  const prompt = node.attributes.get('prompt');
  const hasPrompt = prompt !== undefined && prompt.value !== '';
  const attribute = hasPrompt ? prompt : node.attributes.get('label');
  if (typeof attribute?.value !== 'string' || !attribute.value.includes('$goal')) return undefined;
  return hasPrompt || handlerTypeOf(graph, node, builtInTypes).llm ? attribute : undefined;
}
