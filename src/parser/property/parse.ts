import { type IToken, Lexer } from 'chevrotain';
import { forShortTexts } from '../lexer-config.js';
import { builtInDecisions } from '../lookahead/decisions.js';
import type { PropertyParseResult } from './ast.js';
import { PropertyParser } from './grammar.js';
import { explainPropertyError } from './syntax-error.js';
import { propertyTokens } from './tokens.js';

/** Parses one property. Never throws; of several errors, the first is reported. */
export function parseProperty(text: string): PropertyParseResult {
  const { lexer, parser } = tools();
  const { tokens } = lexer.tokenize(text);
  const property = parser.parse(tokens);
  const [syntaxError] = parser.errors;
  if (syntaxError !== undefined) return { diagnostics: [explainPropertyError(syntaxError.token, tokens)] };
  return { property, diagnostics: [] };
}

/** Tokens of a property, even of an invalid one. @internal */
export function tokenizeProperty(text: string): readonly IToken[] {
  return tools().lexer.tokenize(text).tokens;
}

interface Tools {
  readonly lexer: Lexer;
  readonly parser: PropertyParser;
}

let built: Tools | undefined;

/** Built once, when the first property is parsed: the analysis of the grammar takes some milliseconds. */
function tools(): Tools {
  built ??= {
    lexer: new Lexer([...propertyTokens], forShortTexts),
    parser: new PropertyParser({ skipValidations: true, decisions: builtInDecisions('property') }),
  };
  return built;
}
