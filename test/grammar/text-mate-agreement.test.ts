import { readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { beforeAll, expect, it } from 'vitest';
import { type SemanticToken, semanticTokens } from '../../src/lsp/services/semantic-tokens.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import type { TokenType } from '../../src/lsp/services/text/token-type.js';
import { root } from '../docs/markdown.js';
import { loadTextMate, type Piece } from './tokenize.js';

// An editor colours a text by the grammar first, and by the language server a moment later. The second must refine the first: what
// it says about a part is one of the scopes that the table allows for it.

let piecesOf: (text: string) => readonly Piece[];

beforeAll(async () => {
  piecesOf = await loadTextMate();
});

/** Scopes around a token of the server, one of which it must have. */
const allowed: Readonly<Record<TokenType, RegExp>> = {
  keyword: /^(?:keyword\.control|storage\.type|keyword\.operator\.word|meta\.embedded)/,
  namespace: /^entity\.name\.type\.pipeline/,
  function:
    /^(?:variable\.other\.node|string|entity\.other\.attribute-name\.id|meta\.embedded|variable\.other)/,
  property:
    /^(?:entity\.other\.attribute-name|support\.type\.property-name|punctuation\.definition\.string|variable\.other)/,
  // Keys are also parts of names of attributes: `assign.completed`.
  variable: /^(?:variable|string|meta\.embedded|meta\.template|entity\.other\.attribute-name)/,
  parameter: /^(?:variable|string|meta\.template|entity\.other\.attribute-name)/,
  class: /^(?:string|entity\.other\.attribute-name\.class)/,
  enumMember: /^(?:constant|support\.constant|string|keyword\.other\.unit|meta\.embedded)/,
  string: /^(?:string|meta\.embedded|support\.constant|punctuation\.definition\.string)/,
  number: /^(?:constant\.numeric|keyword\.other\.unit|string|meta\.embedded)/,
  operator: /^(?:keyword\.operator|punctuation|meta\.embedded|string)/,
  comment: /^comment/,
};

const files = globSync('examples/**/*.dot', { cwd: root }).toSorted();

function contradictions(text: string, tokens: readonly SemanticToken[]): readonly string[] {
  const pieces = piecesOf(text).filter((piece) => piece.text.trim() !== '');
  return tokens.flatMap(({ span, type }) =>
    pieces
      .filter(({ start, text: { length } }) => start < span.end && start + length > span.start)
      .filter(({ scopes }) => !scopes.some((scope) => allowed[type].test(scope)))
      .map((piece) => `${type} ${text.slice(span.start, span.end)}: ${piece.text} ${piece.scopes.join(' ')}`),
  );
}

it.each(files)('no colour of %s contradicts that of the language server', (file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  expect(contradictions(text, semanticTokens(new PipelineText(file, text)))).toEqual([]);
});

it('every example is looked at', () => expect(files.length).toBeGreaterThan(10));

it.each(Object.keys(allowed).filter((type): type is TokenType => type !== 'comment'))(
  'a comment that is a %s is found',
  (type) => {
    const token = { span: { start: 0, end: 4 }, type, isDeclaration: false };
    expect(contradictions('// x\n', [token])).not.toEqual([]);
  },
);
