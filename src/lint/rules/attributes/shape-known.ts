import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { isGraphvizShape } from '../../../graph/graphviz/graphviz-shapes.js';
import { handlerTypeOfShape, handlerTypes } from '../../../graph/handler-types.js';
import { exitNodes, startNodes } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { isMeantAs } from '../../exactly-one-node.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** §2.8, SEMANTICS 43c: a shape that selects no handler makes an LLM stage. */
export const shapeKnown: LintRule = {
  name: 'shape_known',
  severity: 'warning',
  fixable: true,
  summary: 'The `shape` of every node selects its handler, unless its `type` does.',
  rationale:
    'The shape decides what a stage does: `hexagon` asks a person, `parallelogram` runs a tool. Any other shape, even if Graphviz draws it, makes an LLM stage, so a misspelt or decorative shape sends the work of a tool or a person to a model. Use a shape from the table in `docs/pipelines.md`, or set `type` and keep the shape for the drawing.',
  *apply(graph, context) {
    const suggest = nameSuggester(shapes);
    for (const [attribute, node] of unknownShapes(graph, context)) yield finding(attribute, node, suggest);
  },
};

const shapes = handlerTypes.flatMap((row) => ('shape' in row ? [row.shape] : []));

/**
 * Unknown shapes, each with the first node that it decides: a default block may also give a shape to nodes
 * that have a type.
 */
function unknownShapes(
  graph: Graph,
  { handlerTypes: knownNames }: LintContext,
): ReadonlyMap<Attribute, Node> {
  const starts = startNodes(graph);
  const exits = exitNodes(graph);
  const ends = new Set([...starts, ...exits]);
  // `start_node` and `terminal_node` report the meaning of these.
  const missing = [...(starts.length === 0 ? ['Mdiamond'] : []), ...(exits.length === 0 ? ['Msquare'] : [])];
  const found = new Map<Attribute, Node>();
  for (const node of attributeOwners(graph).nodesWith('shape')) {
    const attribute = node.attributes.get('shape');
    if (attribute === undefined) continue;
    const shape = String(attribute.value);
    if (handlerTypeOfShape(shape) !== undefined || missing.some((shapeName) => isMeantAs(shape, shapeName)))
      continue;
    if (found.has(attribute) || ends.has(node) || knownNames.has(nodeAttribute(node, 'type'))) continue;
    found.set(attribute, node);
  }
  return found;
}

/** Shapes that Graphviz also draws as boxes. */
const boxes: ReadonlySet<string> = new Set(['rect', 'rectangle']);

function finding(attribute: Attribute, node: Node, suggest: (word: string) => string | undefined): Finding {
  const shape = String(attribute.value);
  const common = { span: attribute.valueSpan, nodeId: node.id };
  const consequence = `so ${excerpt(node.id)} is an LLM stage`;
  if (isGraphvizShape(shape)) {
    const isBox = boxes.has(shape);
    return {
      ...common,
      message: `the shape ${excerpt(shape)} selects no handler, ${consequence}`,
      fix: {
        title: isBox ? 'write `box`' : 'write `box` for an LLM stage, or set `type`',
        edits: isBox ? [{ span: attribute.valueSpan, text: 'box' }] : [],
      },
    };
  }
  const suggestion = suggest(shape);
  return {
    ...common,
    message: `${excerpt(shape)} is not a shape${suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`}, ${consequence}`,
    fix: {
      title:
        suggestion === undefined
          ? `use one of ${shapes.map((name) => `\`${name}\``).join(', ')}`
          : `write \`${suggestion}\``,
      edits: isSlip(shape, suggestion) ? [{ span: attribute.valueSpan, text: suggestion }] : [],
    },
  };
}

/** True for an obvious slip; a second start or exit must not be made automatically. */
function isSlip(shape: string, suggestion: string | undefined): suggestion is string {
  return (
    suggestion?.toLowerCase() === shape.toLowerCase() && suggestion !== 'Mdiamond' && suggestion !== 'Msquare'
  );
}
