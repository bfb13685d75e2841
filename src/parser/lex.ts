import { type IToken, Lexer, type TokenType } from 'chevrotain';

type Match = (text: string, offset: number, before: readonly IToken[]) => string | undefined;

interface Candidate {
  readonly type: TokenType;
  readonly match: Match;
}

/**
 * Makes a lexer for a small language: at each place the first of the types that matches, as the lexer of the parser library
 * would find it, which takes longer to set up than most texts take to read. The types have to match whatever there is.
 */
export function createLexer(types: readonly TokenType[]): (text: string) => IToken[] {
  const matches = new Map(types.map((type) => [type, matchOf(type)]));
  const candidates = [...matches].map(([type, match]): Candidate => ({ type, match }));
  return (text) => {
    const tokens: IToken[] = [];
    for (let offset = 0; offset < text.length; ) {
      const { type, image } = firstMatch(candidates, text, offset, tokens);
      const longer = longerAlternative(
        type,
        (other) => matches.get(other)?.(text, offset, tokens) ?? '',
        image,
      );
      const token = longer ?? { type, image };
      if (token.type.GROUP !== Lexer.SKIPPED) tokens.push(newToken(token.type, token.image, offset));
      offset += token.image.length;
    }
    return tokens;
  };
}

interface Found {
  readonly type: TokenType;
  readonly image: string;
}

function firstMatch(
  candidates: readonly Candidate[],
  text: string,
  offset: number,
  before: readonly IToken[],
): Found {
  for (const { type, match } of candidates) {
    const image = match(text, offset, before);
    if (image !== undefined) return { type, image };
  }
  throw new Error(`no token begins with "${text[offset]}"`);
}

/** A word of the language that is only the beginning of a word is none. */
function longerAlternative(
  { LONGER_ALT: alternatives = [] }: TokenType,
  imageOf: (type: TokenType) => string,
  image: string,
): Found | undefined {
  for (const type of [alternatives].flat()) {
    const longer = imageOf(type);
    if (longer.length > image.length) return { type, image: longer };
  }
  return undefined;
}

function matchOf({ name, PATTERN: pattern }: TokenType): Match {
  if (pattern === undefined || pattern === Lexer.NA) return () => undefined;
  if (typeof pattern === 'string') {
    return (text, offset) => (text.startsWith(pattern, offset) ? pattern : undefined);
  }
  if (pattern instanceof RegExp) {
    const sticky = new RegExp(pattern.source, `${pattern.flags}y`);
    return (text, offset) => {
      sticky.lastIndex = offset;
      return sticky.exec(text)?.[0];
    };
  }
  if (!('exec' in pattern)) throw new Error(`the pattern of ${name} is of a kind that is not used here`);
  return (text, offset, before) => pattern.exec(text, offset, before as IToken[], {})?.[0];
}

function newToken(tokenType: TokenType, image: string, startOffset: number): IToken {
  return { image, startOffset, tokenTypeIdx: tokenType.tokenTypeIdx ?? 0, tokenType };
}
