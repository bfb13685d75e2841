import { edgeAttributes } from '../graph/attribute-tables/edge-attributes.js';
import { graphAttributes } from '../graph/attribute-tables/graph-attributes.js';
import { nodeAttributes } from '../graph/attribute-tables/node-attributes.js';
import { isGraphvizAttribute } from '../graph/graphviz/graphviz-attributes.js';

/**
 * True for a text in DOT that only Graphviz has a use for: nothing in it begins or ends a pipeline, and no attribute is
 * one of pipelines.
 */
export function isForeignDrawing(text: string): boolean {
  const code = text.replaceAll(stringsAndComments, ' ');
  if (!/\b(?:di)?graph\b/i.test(code)) return false;
  if (/\bM(?:diamond|square)\b/.test(text)) return false;
  const names = code.match(/[A-Za-z_][\w.]*(?:\s*=)?/g) ?? [];
  return !names.some((name) => pipelineWords.has(name.replace(/\s+/, '')));
}

/** One that does not end goes up to the end of the text, so that no text takes longer than its length. */
const stringsAndComments = /"(?:[^"\\]|\\[\s\S])*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|^#[^\n]*/gm;

/** Attributes of pipelines that Graphviz has too. */
const sharedAttributes: readonly string[] = ['label', 'shape', 'class', 'weight'];

/** Ids of start and exit nodes, and attributes that Graphviz does not have. */
const pipelineWords: ReadonlySet<string> = new Set([
  ...['start', 'Start', 'exit', 'Exit', 'end', 'End'],
  ...[graphAttributes, nodeAttributes, edgeAttributes]
    .flatMap((table) => Object.keys(table))
    .filter((name) => !isGraphvizAttribute(name) && !sharedAttributes.includes(name))
    .map((name) => `${name}=`),
]);
