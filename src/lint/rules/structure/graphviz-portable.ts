import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Span } from '../../../diagnostic/source.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import { attributeOwners } from '../../attribute-owners.js';
import type { LintRule } from '../../rule.js';

/**
 * SEMANTICS 17: a bare key with a dot, a bare `30s` and the like are legal here, but Graphviz cannot read
 * them.
 */
export const graphvizPortable: LintRule = {
  name: 'graphviz_portable',
  severity: 'info',
  fixable: true,
  summary: 'Graphviz itself can read the file.',
  rationale:
    'The specification allows bare keys with dots (`manager.max_cycles=5`), bare durations (`timeout=30s`) and bare words such as `gpt-5.2`. Graphviz, and editors that use it, reject the whole file because of a single one. Quotes work in both and change nothing: `"manager.max_cycles"=5`, `timeout="30s"`. `--fix` adds them.',
  *apply(graph, { source }) {
    const spans = foreignPlaces(graph, source.text);
    const [first, ...others] = spans;
    if (first === undefined) return;
    const more = others.length === 0 ? '' : ` and ${others.length} more in this file`;
    const listed = others.slice(0, maximumRelated);
    yield {
      message: `without quotes, Graphviz cannot read ${excerpt(textAt(source.text, first))}${more}`,
      span: first,
      related: listed.map((span) => ({ span, message: 'nor this' })),
      fix: {
        title: 'add quotes',
        edits: spans.map((span) => ({ span, text: `"${textAt(source.text, span)}"` })),
      },
    };
  },
};

const maximumRelated = 5;

function textAt(text: string, { start, end }: Span): string {
  return text.slice(start, end);
}

/** Spans in the order of the text; one finding has them all, because a file is either readable or not. */
function foreignPlaces(graph: Graph, text: string): readonly Span[] {
  const seen = new Set<Attribute>();
  const foreignKeys = new Set(namesIn(graph).filter((name) => foreignKey.test(name)));
  const isForeignValue = remembered((value) => foreignValue.test(value));
  const spans: Span[] = [];
  const check = (attribute: Attribute): void => {
    const { name, keySpan, valueSpan, origin } = attribute;
    if (origin !== 'explicit' && origin !== 'default') return;
    const hasForeignKey = foreignKeys.size > 0 && foreignKeys.has(name) && isBare(text, keySpan);
    const hasForeignValue =
      mayBeBare(attribute) && isBare(text, valueSpan) && isForeignValue(textAt(text, valueSpan));
    if ((!hasForeignKey && !hasForeignValue) || seen.has(attribute)) return;
    seen.add(attribute);
    if (hasForeignKey) spans.push(keySpan);
    if (hasForeignValue) spans.push(valueSpan);
  };
  attributeOwners(graph).attributes.forEach(check);
  for (const { attributes } of graph.subgraphs) attributes.forEach(check);
  return spans.sort((one, other) => one.start - other.start);
}

function namesIn(graph: Graph): readonly string[] {
  const { namesAtNodes, namesAtEdges } = attributeOwners(graph);
  const others = [graph, ...graph.subgraphs].flatMap(({ attributes }) => [...attributes.keys()]);
  return [...namesAtNodes, ...namesAtEdges, ...others];
}

/**
 * True for a value that may be unquoted. Graphviz reads numbers and booleans too, and a quoted text is
 * longer than its letters.
 */
function mayBeBare({ value, valueSpan }: Attribute): boolean {
  if (typeof value === 'string') return value.length === valueSpan.end - valueSpan.start;
  return typeof value === 'object';
}

/** Caches a test: bare words are often repeated. */
function remembered(test: (key: string) => boolean): (key: string) => boolean {
  const answers = new Map<string, boolean>();
  return (key) => {
    const existing = answers.get(key);
    if (existing !== undefined) return existing;
    const answer = test(key);
    answers.set(key, answer);
    return answer;
  };
}

/** True for a text that is not in quotes, and is in the source at all. */
function isBare(text: string, { start, end }: Span): boolean {
  const first = text.charCodeAt(start);
  return end > start && end <= text.length && first !== doubleQuote && first !== lessThan;
}

const doubleQuote = 0x22;
const lessThan = 0x3c;

/**
 * Spellings that the language accepts without quotes (SEMANTICS 2, 5, 17) and Graphviz does not: dots,
 * keywords, words with signs, units.
 */
const foreignKey = /^(?:node|edge|graph|digraph|subgraph|strict|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+)$/i;
const foreignValue =
  /^(?:node|edge|graph|digraph|subgraph|strict|[a-z_][a-z0-9_]*[-.:][a-z0-9_.:-]*|[0-9]+(?:ms|[smhd]))$/i;
