import { type IToken, Lexer, tokenMatcher } from 'chevrotain';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
import { forShortTexts } from '../lexer-config.js';
import { builtInDecisions } from '../lookahead/decisions.js';
import type { ConditionParseResult } from './ast.js';
import { checkRemark } from './check-remark.js';
import { ConditionParser } from './grammar.js';
import { conditionError, explainConditionError } from './syntax-error.js';
import { conditionTokens, LeftBracket, LeftParen, Not, RightBracket, RightParen, spanOf } from './tokens.js';

/** Maximum nesting of parentheses, lists and `!`. */
const maxConditionNesting = 200;

/**
 * Parses the condition of an edge (§10.2, SEMANTICS §12 and 44–44e). Blank text is an unconditional edge.
 * Never throws; of several errors, the first is reported.
 */
export function parseCondition(text: string): ConditionParseResult {
  if (text.trim() === '') return { diagnostics: [] };
  const { lexer, parser } = tools();
  const { tokens } = lexer.tokenize(text);
  const tooDeep = nestedTooDeep(tokens);
  if (tooDeep !== undefined) {
    const message = `the condition is nested more than ${maxConditionNesting} levels deep`;
    return { diagnostics: [conditionError(spanOf(tooDeep), message)] };
  }
  const { condition, remarks } = parser.parse(tokens);
  const found = remarks.map(checkRemark).filter((diagnostic) => diagnostic !== undefined);
  const [syntaxError] = parser.errors;
  if (syntaxError !== undefined) found.push(explainConditionError(syntaxError.token, tokens));
  const diagnostics = upToFirstError(found);
  return hasErrors(diagnostics) ? { diagnostics } : { condition, diagnostics };
}

/** Tokens of a condition, even of an invalid one. @internal */
export function tokenizeCondition(text: string): readonly IToken[] {
  return tools().lexer.tokenize(text).tokens;
}

interface Tools {
  readonly lexer: Lexer;
  readonly parser: ConditionParser;
}

let built: Tools | undefined;

/**
 * Creates the parser when the first condition is parsed: the analysis of the grammar takes some
 * milliseconds.
 */
function tools(): Tools {
  built ??= {
    lexer: new Lexer([...conditionTokens], forShortTexts),
    parser: new ConditionParser({ skipValidations: true, decisions: builtInDecisions('condition') }),
  };
  return built;
}

/** Token that opens one level too many; the parser is recursive, so the text must not decide its depth. */
function nestedTooDeep(tokens: readonly IToken[]): IToken | undefined {
  const enclosing: number[] = [];
  let depth = 0;
  let negations = 0;
  for (const token of tokens) {
    if (tokenMatcher(token, Not)) {
      negations += 1;
    } else if (tokenMatcher(token, LeftParen) || tokenMatcher(token, LeftBracket)) {
      enclosing.push(negations + 1);
      depth += negations + 1;
      negations = 0;
    } else {
      if (tokenMatcher(token, RightParen) || tokenMatcher(token, RightBracket)) depth -= enclosing.pop() ?? 0;
      negations = 0;
    }
    if (depth + negations > maxConditionNesting) return token;
  }
  return undefined;
}

/** The first error with the findings before it; later ones are mostly its consequences. */
function upToFirstError(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const inOrder = found.toSorted((a, b) => a.span.start - b.span.start);
  const firstError = inOrder.findIndex((diagnostic) => diagnostic.severity === 'error');
  return firstError === -1 ? inOrder : inOrder.slice(0, firstError + 1);
}
