import { nearestName } from '../diagnostic/did-you-mean.js';
import { excerpt } from '../diagnostic/excerpt.js';
import { nodeAttribute } from '../graph/attributes.js';
import type { Graph, Node } from '../graph/graph.js';
import { isGraphvizShape } from '../graph/graphviz/graphviz-shapes.js';
import { handlerTypeOfShape } from '../graph/handler-types.js';
import { listNames } from './list-names.js';
import type { Finding } from './rule.js';

interface Part {
  readonly title: 'start' | 'exit';
  readonly shape: string;
  readonly ids: readonly [string, string];
}

const maximumRelated = 5;

/** Findings about the number of nodes in a role of which a pipeline needs exactly one. */
export function exactlyOneNode(graph: Graph, nodes: readonly Node[], part: Part): readonly Finding[] {
  const [first, second] = nodes;
  if (first === undefined) return [noNode(graph, part)];
  if (second === undefined) return [];
  return [severalNodes(nodes, first, second, part)];
}

function noNode(graph: Graph, part: Part): Finding {
  const { title, shape, ids } = part;
  const message = `the pipeline has no ${title} node: one node must have \`shape=${shape}\`, or be named \`${ids[0]}\` or \`${ids[1]}\``;
  const nodes = [...graph.nodes.values()];
  const misspelt = nodes.find((node) => isMeantAs(nodeAttribute(node, 'shape'), shape));
  const attribute = misspelt?.attributes.get('shape');
  if (misspelt !== undefined && attribute !== undefined) {
    const written = String(attribute.value);
    const isCase = isSameButForCase(written, shape);
    return {
      message: isCase
        ? `${message}; ids are case-sensitive`
        : `${message}; ${excerpt(written)} is not a shape`,
      span: attribute.valueSpan,
      nodeId: misspelt.id,
      fix: {
        title: `write \`${shape}\``,
        // A default would make all its nodes a start or an exit.
        edits: isCase && attribute.origin === 'explicit' ? [{ span: attribute.valueSpan, text: shape }] : [],
      },
    };
  }
  const namesake = nodes.find((node) => ids.some((id) => isSameButForCase(node.id, id)));
  if (namesake !== undefined) {
    return {
      message: `${message}; ids are case-sensitive, so ${excerpt(namesake.id)} is an ordinary node`,
      span: namesake.span,
      nodeId: namesake.id,
      fix: { title: `add \`shape=${shape}\` to \`${namesake.id}\``, edits: [] },
    };
  }
  return { message, span: graph.nameSpan, fix: { title: `add \`${ids[0]} [shape=${shape}]\``, edits: [] } };
}

/** True if an unknown shape was meant as that of a start or an exit. */
export function isMeantAs(shape: string, shapeName: string): boolean {
  if (isSameButForCase(shape, shapeName)) return true;
  if (handlerTypeOfShape(shape) !== undefined || isGraphvizShape(shape)) return false;
  return nearestName(shape, [shapeName], 0.3) !== undefined;
}

function isSameButForCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function severalNodes(nodes: readonly Node[], first: Node, second: Node, part: Part): Finding {
  const ids = nodes.map((node) => node.id);
  const others = [first, ...nodes.slice(2)].slice(0, maximumRelated);
  return {
    message: `the pipeline has ${nodes.length} ${part.title} nodes, but exactly one is allowed: ${listNames(ids)}`,
    span: second.span,
    nodeId: second.id,
    related: others.map((node) => ({ span: node.span, message: `another ${part.title} node` })),
    fix: { title: `keep one, and give the others a shape other than \`${part.shape}\``, edits: [] },
  };
}
