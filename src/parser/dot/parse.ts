import { distrustFixes } from '../../diagnostic/distrust-fixes.js';
import { builtInDecisions } from '../lookahead/decisions.js';
import { createActions } from './actions.js';
import type { DotDocument, DotParseResult } from './ast.js';
import { doubtfulFrom } from './doubtful-from.js';
import { DotParser } from './grammar.js';
import { commentsOf, reportLexical } from './lexical.js';
import { createNodeNames } from './node-names.js';
import { createReport, type Report } from './report.js';
import { type LexedText, tokenize, tokenizeWithInnerQuotes } from './tokenize.js';

export interface DotParseOptions {
  /** Maximum of reported errors, and of warnings; a hundred of each is more than a person reads at once. */
  readonly findingLimit?: number;
}

/**
 * Parses a pipeline (§2.2–2.4, SEMANTICS 1–17g). Never throws: every mistake is a diagnostic of rule
 * `syntax`, and the document holds every readable part. Time and memory are linear in the length of the
 * text.
 */
export function parseDot(text: string, options: DotParseOptions = {}): DotParseResult {
  const report = createReport(text, options.findingLimit);
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    const message = 'the file contains NUL characters: it is binary, or saved as UTF-16; save it as UTF-8';
    report.add('binary_input', { start: nul, end: nul + 1 }, message);
    return { document: { comments: [] }, diagnostics: report.diagnostics() };
  }
  const usual = read(tokenize(text), report);
  if (report.errorCount === 0) return resultOf(usual);
  const doubtful = doubtfulFrom(usual.lexed, text);
  if (doubtful === undefined) return resultOf(usual);
  const reread = rereadWithInnerQuotes(usual, text, options);
  return reread === undefined
    ? resultOf(usual, doubtful)
    : resultOf(reread, doubtfulFrom(reread.lexed, text));
}

/** One reading of a text. */
interface Reading {
  readonly lexed: LexedText;
  readonly report: Report;
  readonly document: DotDocument;
  readonly renamed: ReadonlyMap<string, string>;
}

function read(lexed: LexedText, report: Report): Reading {
  const { tokens } = lexed;
  reportLexical(lexed, report);
  const names = createNodeNames(tokens);
  const actions = createActions(names, report);
  dotParser().parse(tokens, actions);
  const graph = actions.finish();
  const comments = commentsOf(lexed);
  const document = graph === undefined ? { comments } : { graph, comments };
  return { lexed, report, document, renamed: names.renamed() };
}

function resultOf({ report, document, renamed }: Reading, doubtful?: number): DotParseResult {
  return {
    document,
    diagnostics: distrustFixes(report.diagnostics(), doubtful),
    renamed: renamed.size > 0 ? renamed : undefined,
    doubtfulFrom: doubtful,
  };
}

/**
 * Reads again, taking the quotes of strings that end too early for text; undefined if that does not explain
 * more.
 */
function rereadWithInnerQuotes(
  usual: Reading,
  text: string,
  { findingLimit }: DotParseOptions,
): Reading | undefined {
  const reading = read(tokenizeWithInnerQuotes(text), createReport(text, findingLimit));
  const { report } = reading;
  const isClosedNow = usual.report.has('unterminated_string') && !report.has('unterminated_string');
  const explainsMore = isClosedNow || report.errorCount <= usual.report.errorCount;
  return report.has('unescaped_quote') && explainsMore ? reading : undefined;
}

let parser: DotParser | undefined;

/** Parser, built on first use, because it takes some milliseconds; a test proves the grammar unambiguous. */
function dotParser(): DotParser {
  parser ??= new DotParser({ skipValidations: true, decisions: builtInDecisions('dot') });
  return parser;
}
