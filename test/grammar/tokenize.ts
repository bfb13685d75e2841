import { readFileSync } from 'node:fs';
import path from 'node:path';
import oniguruma from 'vscode-oniguruma';
import textMate from 'vscode-textmate';
import { root } from '../docs/markdown.js';
import { scopeName, textMateGrammar } from './text-mate.js';

/** A part of a text in one colour. */
export interface Piece {
  readonly text: string;
  /** Offset of the part. */
  readonly start: number;
  /** Outer ones first, without the language at their ends. */
  readonly scopes: readonly string[];
}

/** Grammars of the editor for other languages, in short: what they begin they do not end with our string. */
const foreign: Readonly<Record<string, object>> = {
  'source.shell': {
    patterns: [
      { match: '\\b(?:if|then|fi|for|do|done)\\b', name: 'keyword.control.shell' },
      { match: '#.*$', name: 'comment.line.shell' },
      { begin: "'", end: "'", name: 'string.quoted.single.shell' },
    ],
  },
  'text.html.markdown': {
    patterns: [
      { match: '^#+ .*$', name: 'heading.markdown' },
      { begin: '\\*\\*', end: '\\*\\*', name: 'markup.bold.markdown' },
    ],
  },
};

/** Colours texts as an editor does that has the grammar and no language server. */
export async function loadTextMate(): Promise<(text: string) => readonly Piece[]> {
  const wasm = readFileSync(path.join(root, 'node_modules/vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textMate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (name) => {
      const text =
        name === scopeName ? textMateGrammar() : JSON.stringify({ scopeName: name, ...foreign[name] });
      return Promise.resolve(textMate.parseRawGrammar(text, `${name}.json`));
    },
  });
  const grammar = await registry.loadGrammar(scopeName);
  if (grammar === null) throw new Error('the grammar cannot be read');
  return (text) => piecesOf(text, grammar);
}

function piecesOf(text: string, grammar: textMate.IGrammar): readonly Piece[] {
  let stack = textMate.INITIAL;
  let lineStart = 0;
  return text.split('\n').flatMap((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    const start = lineStart;
    lineStart += line.length + 1;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex),
      start: start + startIndex,
      scopes: scopes.slice(1).map((scope) => scope.replace(/\.attractor$/, '')),
    }));
  });
}
