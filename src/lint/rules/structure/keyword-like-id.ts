import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Span } from '../../../diagnostic/source.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 13, 92: keywords are in lower case here, and in any case for Graphviz. */
export const keywordLikeId: LintRule = {
  name: 'keyword_like_id',
  severity: 'warning',
  summary: 'No id looks like a keyword of DOT.',
  rationale:
    'Keywords are lower case here, so `Node` and `EDGE` are ordinary ids: `Node [timeout=60]` declares a stage called "Node" and sets no default. Graphviz treats them as keywords in any case, and `strict` too, so it cannot read such a file. Write the keyword in lower case if you meant it, or choose another id.',
  *apply(graph) {
    if (isKeywordLike(graph.name)) yield finding('the graph', graph.name, graph.nameSpan);
    for (const node of graph.nodes.values()) {
      if (isKeywordLike(node.id)) yield { ...finding('a node', node.id, node.span), nodeId: node.id };
    }
    for (const { name, span } of graph.subgraphs) {
      if (name !== undefined && isKeywordLike(name)) yield finding('a subgraph', name, span);
    }
  },
};

function isKeywordLike(id: string): boolean {
  return id.length <= 8 && id.length >= 4 && keywords.has(id.toLowerCase());
}

/** The keywords of Graphviz. */
const keywords: ReadonlySet<string> = new Set(['digraph', 'edge', 'graph', 'node', 'strict', 'subgraph']);

function finding(owner: string, id: string, span: Span): Finding {
  const keyword = id.toLowerCase();
  const isDefaults = keyword === 'node' || keyword === 'edge';
  return {
    message: `${owner} is called ${excerpt(id)}, which looks like the keyword \`${keyword}\` and is one in Graphviz`,
    span,
    fix: {
      title: isDefaults
        ? `write \`${keyword}\` if defaults are meant, or choose another id`
        : `choose another id, for example \`my_${keyword}\``,
      edits: [],
    },
  };
}
