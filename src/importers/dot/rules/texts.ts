import { attributeDefinition } from '../../../graph/attributes.js';
import type { Graph } from '../../../graph/graph.js';
import { isGraphvizAttribute } from '../../../graph/graphviz/graphviz-attributes.js';
import { handlerTypeNamed, handlerTypeOfShape } from '../../../graph/handler-types.js';
import { incomingEdges } from '../../../graph/queries.js';
import type { TextPlace, TextRule } from '../dot-dialect.js';

const path = '[A-Za-z_]\\w*(?:\\.\\w+)*';

/** `{{ goal }}`, `{{ inputs.x }}` and `{{ context.x }}`, as templates of Jinja and Handlebars have them. */
export const doubleBraces: TextRule = {
  pattern: new RegExp(`\\{\\{-?\\s*(${path})\\s*(\\|[^}]*)?-?\\}\\}`, 'g'),
  replace: ([whole = '', value = '', filter = ''], { attribute }) => {
    if (filter !== '')
      return { kind: 'lost', message: `${whole} stays as text: there are no filters such as "${filter}"` };
    return valueFor(value, attribute);
  },
};

function valueFor(value: string, attribute: string): string {
  if (value === 'goal') return goalIn(attribute);
  const [root = '', ...rest] = value.split('.');
  const known = namespaces.get(root);
  if (known !== undefined && rest.length > 0) return `\${${[known, ...rest].join('.')}}`;
  return `\${context.${value}}`;
}

const namespaces: ReadonlyMap<string, string> = new Map([
  ['inputs', 'inputs'],
  ['input', 'inputs'],
  ['params', 'inputs'],
  ['vars', 'inputs'],
  ['context', 'context'],
  ['ctx', 'context'],
  ['graph', 'graph'],
]);

/** `$goal` is replaced in prompts only. */
function goalIn(attribute: string): string {
  return attribute === 'prompt' || attribute === 'system_prompt' ? '$goal' : '${graph.goal}';
}

/** `{% if … %}` and the like. */
export const blocks: TextRule = {
  pattern: /\{%-?[^%]*%\}/g,
  replace: ([whole = '']) => ({
    kind: 'lost',
    message: `${whole.slice(0, 60)} stays as text: templates here have values, but no statements`,
  }),
};

/** `$context.x`, also in the braces that only other tools understand. */
export const dollarContext: TextRule = {
  pattern: new RegExp(`\\$(?:context|ctx)\\.(${path})`, 'g'),
  replace: ([, value = '']) => `\${context.${value}}`,
};

/** `$goal` outside of prompts, where this language has no short form. */
export const goalOutsidePrompts: TextRule = {
  pattern: /\$goal\b/g,
  replace: (_, { attribute }) =>
    attribute === 'goal' || attribute === 'label' ? undefined : goalIn(attribute),
};

/** Names between `$` and the end of a word that are values of the run. */
export function dollarNames(valueFor: (name: string, graph: Graph) => string | undefined): TextRule {
  return {
    pattern: /\$([A-Za-z_]\w*)(?!\w)/g,
    replace: ([, name = ''], { graph, attribute }) =>
      name === 'goal' || attribute === 'goal' ? undefined : valueFor(name, graph),
  };
}

/** `$target` for an attribute of the graph that the author has made up. */
export const dollarGraphAttributes: TextRule = dollarNames((name, graph) =>
  graph.attributes.has(name) && attributeDefinition('graph', name) === undefined && !isGraphvizAttribute(name)
    ? `\${graph.${name}}`
    : undefined,
);

/** Difference of `last_response`. */
export const shortResponse =
  'context.last_response has the first 200 characters of the answer; ${stages.<id>.response} is the whole answer of a stage';

/** `last_response` is whole in other tools, and has 200 characters here (§5.1). */
export const lastResponse: TextRule = {
  pattern: /\$\{context\.last_response\}/g,
  replace: (_, { nodeId, graph }: TextPlace) => {
    const stage = nodeId === undefined ? undefined : onlyModelStageBefore(graph, nodeId);
    if (stage !== undefined) return `\${stages.${stage}.response}`;
    return { kind: 'changed', message: shortResponse };
  },
};

/** The stage whose answer is the last one at a node, if it is the same on every path. */
function onlyModelStageBefore(graph: Graph, nodeId: string): string | undefined {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [nodeId];
  while (waiting.length > 0) {
    const id = waiting.pop() ?? '';
    for (const { from } of incomingEdges(graph, id)) {
      if (seen.has(from)) continue;
      seen.add(from);
      if (mayAsk(graph, from)) found.add(from);
      else waiting.push(from);
    }
  }
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

function mayAsk(graph: Graph, id: string): boolean {
  const attributes = graph.nodes.get(id)?.attributes;
  const type = attributes?.get('type')?.value;
  const shape = attributes?.get('shape')?.value ?? 'box';
  const known = type === undefined ? handlerTypeOfShape(String(shape)) : handlerTypeNamed(String(type));
  return known?.mayAskModel ?? true;
}
