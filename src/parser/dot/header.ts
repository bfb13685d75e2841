import { EOF, type IToken } from 'chevrotain';
import type { Identifier } from './ast.js';
import { suggestIdentifier, unnamed } from './identifier.js';
import { readName } from './names.js';
import { advice, describe, endOf, guess, type Report, replacement, spanOf } from './report.js';
import * as t from './tokens.js';
import type { TreeBuilder } from './tree.js';

/** Tokens before the first statement; each may be missing. */
export interface Header {
  /** Anything before the keyword. */
  readonly preamble: readonly IToken[];
  readonly keyword: IToken | undefined;
  readonly names: readonly IToken[];
  readonly brace: IToken | undefined;
  /** Token after the header. */
  readonly next: IToken;
}

/**
 * Opens the graph that a header announces (§2.2, SEMANTICS 1, 12, 13); none if nothing like a header was
 * found.
 */
export function openGraph(header: Header, tree: TreeBuilder, report: Report): void {
  const { preamble, keyword, names, brace, next } = header;
  reportPreamble(header, report);
  if (keyword === undefined && names.length === 0) return;
  if (keyword !== undefined) reportKeyword(keyword, report);
  const name = readGraphName(keyword, names, brace, report);
  const last = brace ?? names.at(-1) ?? keyword;
  if (brace === undefined && last !== undefined && !report.isEndLost) {
    const insertion = { start: endOf(last), end: endOf(last) };
    report.add('missing_brace', insertion, `expected "{" after ${describe(last)}, found ${describe(next)}`, {
      fix: replacement('insert "{"', insertion, ' {'),
    });
  }
  const first = isStrict(preamble) ? preamble[0] : (keyword ?? names[0]);
  tree.openGraph(first?.startOffset ?? 0, name, brace);
}

function isStrict(preamble: readonly IToken[]): boolean {
  return preamble.length === 1 && preamble[0]?.image.toLowerCase() === 'strict';
}

function reportPreamble({ preamble, keyword, names }: Header, report: Report): void {
  const [first] = preamble;
  const [name] = names;
  if (first !== undefined && isStrict(preamble)) {
    const message = 'strict is not supported: several edges may join the same two nodes';
    const blanks = /^\s*/.exec(report.text.slice(endOf(first), endOf(first) + 100))?.[0].length ?? 0;
    const keywordSpan = { start: first.startOffset, end: endOf(first) + blanks };
    const fix = replacement('remove strict', keywordSpan, '');
    report.add('strict_graph', spanOf(first), message, { fix });
  } else if (first !== undefined) {
    const message = `expected digraph NAME { at the beginning, found ${describe(first)}`;
    const isMistyped = preamble.length === 1 && first.tokenType === t.Word && name !== undefined;
    const fix = isMistyped ? replacement('write digraph', spanOf(first), 'digraph') : undefined;
    report.add('missing_digraph', spanOf(first), message, fix === undefined ? {} : { fix });
    return;
  }
  if (keyword !== undefined) return;
  if (name !== undefined) {
    const message = `expected the keyword digraph before the name ${describe(name)}`;
    const insertion = { start: name.startOffset, end: name.startOffset };
    const fix = replacement('insert digraph', insertion, 'digraph ');
    report.add('missing_digraph', spanOf(name), message, { fix });
  } else if (first === undefined && !report.isEndLost) {
    report.add('empty_file', { start: 0, end: 0 }, 'the file is empty; expected digraph NAME { … }');
  }
}

function reportKeyword(keyword: IToken, report: Report): void {
  if (keyword.tokenType === t.Digraph) return;
  const span = spanOf(keyword);
  const fix = replacement('write digraph', span, 'digraph');
  if (keyword.image.toLowerCase() === 'graph') {
    report.add('undirected_graph', span, `graphs are directed: write digraph instead of ${keyword.image}`, {
      fix,
    });
  } else {
    report.add('keyword_case', span, `keywords are written in lower case: digraph, not ${keyword.image}`, {
      fix,
    });
  }
}

function readGraphName(
  keyword: IToken | undefined,
  names: readonly IToken[],
  brace: IToken | undefined,
  report: Report,
): Identifier {
  const [first, ...others] = names;
  if (first === undefined) {
    const end = keyword === undefined ? 0 : endOf(keyword);
    report.add('anonymous_graph', keyword === undefined ? { start: 0, end } : spanOf(keyword), ANONYMOUS, {
      fix: replacement('name it', { start: end, end }, ' Pipeline'),
    });
    return { name: 'Pipeline', span: { start: end, end } };
  }
  const last = others.at(-1);
  if (last === undefined) return readName(first, 'graph name', report);
  const span = { start: first.startOffset, end: endOf(last) };
  const name = suggestIdentifier(report.text.slice(span.start, span.end));
  report.add(
    'spaced_id',
    span,
    `a graph's name is one word before ${brace === undefined ? 'its block' : '"{"'}: ${name}`,
    {
      fix: name === unnamed ? advice('choose a name') : replacement(`write ${name}`, span, name),
    },
  );
  return { name, span };
}

const ANONYMOUS = 'the graph needs a name: digraph NAME {';

/** Reports the first token after the closing brace; the others belong to it. */
export function reportTrailing(first: IToken, next: IToken, report: Report): void {
  const span = spanOf(first);
  const begin = (first.image === 'strict' ? next : first).image.toLowerCase();
  if (first.tokenType === t.RCurly) {
    const fix = replacement('remove it', span, '');
    const isLast = next.tokenType === EOF || next.tokenType === t.RCurly || next.tokenType === t.Semicolon;
    report.add('unmatched_brace', span, 'this "}" closes nothing; the graph has already ended', {
      // If statements follow, an earlier "}" is the surplus one.
      fix: isLast ? fix : guess(fix),
    });
  } else if (begin === 'digraph' || begin === 'graph') {
    report.add('second_graph', span, 'a file contains one digraph; move the second one to its own file');
  } else {
    const message = `nothing may follow the "}" that closes the graph, found ${describe(first)}`;
    report.add('trailing_text', span, message, { fix: advice('remove the text, or the "}" before it') });
  }
}
