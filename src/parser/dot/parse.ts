import { builtInDecisions } from '../lookahead/decisions.js';
import { createActions } from './actions.js';
import type { DotParseResult } from './ast.js';
import { DotParser } from './grammar.js';
import { commentsOf, reportLexical } from './lexical.js';
import { createNodeNames } from './node-names.js';
import { createReport } from './report.js';
import { tokenize } from './tokenize.js';

export interface DotParseOptions {
  /** How many errors are reported, and how many warnings; a hundred of each is more than a person reads at once. */
  readonly findingLimit?: number;
}

/**
 * Parses a pipeline (§2.2–2.4, SEMANTICS 1–17g). Never throws: every mistake is a diagnostic of rule `syntax`, and the
 * document holds whatever could be read. Time and memory are linear in the length of the text.
 */
export function parseDot(text: string, options: DotParseOptions = {}): DotParseResult {
  const report = createReport(text, options.findingLimit);
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    const message = 'the file holds NUL characters: it is binary, or saved as UTF-16; save it as UTF-8';
    report.add('binary_input', { start: nul, end: nul + 1 }, message);
    return { document: { comments: [] }, diagnostics: report.diagnostics() };
  }
  const lexed = tokenize(text);
  reportLexical(lexed, report);
  const names = createNodeNames(lexed.tokens);
  const actions = createActions(names, report);
  dotParser().parse(lexed.tokens, actions);
  const graph = actions.finish();
  const comments = commentsOf(lexed);
  const renamed = names.renamed();
  return {
    document: graph === undefined ? { comments } : { graph, comments },
    diagnostics: report.diagnostics(),
    renamed: renamed.size > 0 ? renamed : undefined,
  };
}

let parser: DotParser | undefined;

/** Built on first use, because it takes some milliseconds; the grammar is proved unambiguous by a test. */
function dotParser(): DotParser {
  parser ??= new DotParser({ skipValidations: true, decisions: builtInDecisions('dot') });
  return parser;
}
