import { type IToken, Lexer } from 'chevrotain';
import { forLongTexts } from '../lexer-config.js';
import { tokenTypes } from './tokens.js';

/** What a text consists of; comments and blanks that are none stand apart from the tokens that the parser reads. */
export interface LexedText {
  readonly tokens: IToken[];
  readonly comments: readonly IToken[];
  /** `# …`, which begins no comment. */
  readonly hashes: readonly IToken[];
  /** Blanks other than those of ASCII. */
  readonly blanks: readonly IToken[];
}

/** Cuts a text into tokens (§2.2, §2.3). Every character belongs to one, for the last type takes whatever is left. */
export function tokenize(text: string): LexedText {
  const { tokens, groups } = dotLexer().tokenize(text);
  const { comments = [], hashes = [], blanks = [] } = groups;
  return { tokens, comments, hashes, blanks };
}

let lexer: Lexer | undefined;

/** Built on first use, because it takes some milliseconds. */
function dotLexer(): Lexer {
  lexer ??= new Lexer([...tokenTypes], forLongTexts);
  return lexer;
}
