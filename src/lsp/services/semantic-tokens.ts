import type { Span } from '../../diagnostic/source.js';
import type { AttributeNode } from '../../parser/dot/ast.js';
import { mapSpan } from '../../parser/dot/value-places.js';
import { attributesIn, statementsIn } from './text/attributes-in.js';
import { mentionsIn } from './text/mentions.js';
import type { NamedKind } from './text/named-thing.js';
import type { PipelineText } from './text/pipeline-text.js';
import type { TokenType } from './text/token-type.js';
import { tokensInside } from './text/tokens-inside.js';
import { languageOf } from './text/value-language.js';

export const tokenModifiers = ['declaration'] as const;

export interface SemanticToken {
  readonly span: Span;
  readonly type: TokenType;
  readonly isDeclaration: boolean;
}

/** Colours of a text: keywords, names by what they name, values, and the languages inside texts. No two overlap. */
export function semanticTokens(pipeline: PipelineText, range?: Span): readonly SemanticToken[] {
  const isWanted = ({ span: { start, end } }: SemanticToken): boolean =>
    range === undefined || (end >= range.start && start <= range.end);
  const names = mentionTokens(pipeline);
  return withoutOverlaps([...names, ...structure(pipeline), ...insideValues(pipeline)]).filter(isWanted);
}

const typeOfName: Readonly<Record<NamedKind, TokenType>> = {
  node: 'function',
  key: 'variable',
  engine_key: 'variable',
  graph_attribute: 'property',
  input: 'parameter',
  class: 'class',
  file: 'string',
};

function mentionTokens(pipeline: PipelineText): readonly SemanticToken[] {
  return mentionsIn(pipeline).map(({ thing, span, role }) => ({
    span,
    type: typeOfName[thing.kind],
    isDeclaration: role === 'declaration',
  }));
}

function structure({ text, parsed }: PipelineText): readonly SemanticToken[] {
  const { document } = parsed;
  const { graph } = document;
  const head =
    graph === undefined
      ? []
      : [wordAt(text, graph.span.start, 'keyword'), token(graph.name.span, 'namespace', true)];
  const keywords = statementsIn(document).flatMap(({ statement: { kind, span } }) =>
    /^(?:graph_attributes|node_defaults|edge_defaults|subgraph)$/.test(kind)
      ? [wordAt(text, span.start, 'keyword')]
      : [],
  );
  const comments = document.comments.map(({ span }) => token(span, 'comment'));
  return [...head, ...keywords, ...comments].filter(({ span }) => span.end > span.start);
}

function wordAt(text: string, start: number, type: TokenType): SemanticToken {
  const length = /^[A-Za-z_]*/.exec(text.slice(start, start + 20))?.[0].length ?? 0;
  return token({ start, end: start + length }, type);
}

function token(span: Span, type: TokenType, isDeclaration = false): SemanticToken {
  return { span, type, isDeclaration };
}

/** Names of attributes, and their values: as a word, or as the language that they are written in. */
function insideValues(pipeline: PipelineText): readonly SemanticToken[] {
  return attributesIn(pipeline.parsed.document).flatMap(({ attribute, owner }) => {
    const language = owner === 'subgraph' ? 'plain' : languageOf(owner, attribute.key.name);
    const { value } = attribute;
    const inner = tokensInside(value.text, language).map(({ span, type }) =>
      token(mapSpan(pipeline.source, value.span, span), type),
    );
    return [token(attribute.key.span, 'property'), ...inner, wholeValue(attribute)];
  });
}

function wholeValue({ value: { kind, span } }: AttributeNode): SemanticToken {
  if (kind === 'integer' || kind === 'float' || kind === 'duration') return token(span, 'number');
  return token(span, kind === 'string' ? 'string' : 'enumMember');
}

/**
 * Tokens in the order of the text, without overlaps: of one that contains others the parts between them are left. Of two with the same
 * span the first counts.
 */
function withoutOverlaps(tokens: readonly SemanticToken[]): readonly SemanticToken[] {
  const outerFirst = tokens
    .map((one, index) => ({ one, index }))
    .sort(
      (a, b) => a.one.span.start - b.one.span.start || b.one.span.end - a.one.span.end || b.index - a.index,
    );
  const found: SemanticToken[] = [];
  const open: SemanticToken[] = [];
  let painted = 0;
  const paint = (one: SemanticToken, end: number): void => {
    if (end > painted) found.push({ ...one, span: { start: painted, end } });
    painted = Math.max(painted, end);
  };
  const closeBefore = (start: number): void => {
    for (let top = open.at(-1); top !== undefined && top.span.end <= start; top = open.at(-1)) {
      paint(top, top.span.end);
      open.pop();
    }
  };
  for (const { one } of outerFirst) {
    closeBefore(one.span.start);
    const around = open.at(-1);
    if (around !== undefined) paint(around, one.span.start);
    painted = Math.max(painted, one.span.start);
    open.push(one);
  }
  closeBefore(Number.POSITIVE_INFINITY);
  return found;
}
