import { EmbeddedActionsParser, type IToken, type ParserMethod } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import { spanOf } from '../quoted-text.js';
import type { LiteralValue } from './ast.js';
import {
  Bar,
  Colon,
  Comma,
  Equals,
  keyListTokens,
  LeftBrace,
  LeftBracket,
  Question,
  RightBrace,
  RightBracket,
  Text,
  Word,
} from './tokens.js';

type Rule<Result> = ParserMethod<[], Result>;

/** An entry as it is written: which names are keys, types and words is judged once the tree stands. */
export interface WrittenEntry {
  readonly key: IToken;
  /** Words and texts, in their order; empty where there is no `:`. */
  readonly type: readonly IToken[];
  readonly question: IToken | undefined;
  readonly literal: WrittenLiteral | undefined;
  readonly span: Span;
}

export interface WrittenLiteral {
  readonly value: LiteralValue;
  readonly span: Span;
  /** Words within a list or a map that are not JSON, and texts with escapes that JSON does not have. */
  readonly refused: readonly IToken[];
}

/*
 * `parseKeyList` reads a list entry by entry, so that a mistake in one hides none in the next. As a whole it is
 */
// KeyList ::= Separator* ( PlainKeys | Entries )?
// PlainKeys ::= Key ( Separator* Key )* Separator*
// Entries ::= Entry ( Separator+ Entry )* Separator*
// Separator ::= ',' | ';'

/** The grammar of the entries of a key list (SEMANTICS 100). */
export class KeyListParser extends EmbeddedActionsParser {
  #refused: IToken[] = [];

  constructor(options: GrammarOptions) {
    super([...keyListTokens], parserConfig(options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, keyListTokens, options.decisions);
  }

  /** @param tokens what lies between two separators: one entry, or several with nothing but blanks between them */
  parse(tokens: IToken[]): readonly WrittenEntry[] {
    this.input = tokens;
    return this.entries();
  }

  readonly entries: Rule<readonly WrittenEntry[]> = this.RULE('entries', () => {
    const entries: WrittenEntry[] = [];
    this.AT_LEAST_ONE(() => {
      entries.push(this.SUBRULE(this.entry));
    });
    return entries;
  });

  /** Entry ::= Key ( ':' Type )? ( '?' | '=' Literal )? */
  readonly entry: Rule<WrittenEntry> = this.RULE('entry', () => {
    const key = this.CONSUME(Word);
    let type: readonly IToken[] = [];
    this.OPTION(() => {
      this.CONSUME(Colon);
      type = this.SUBRULE(this.type);
    });
    let question: IToken | undefined;
    let literal: WrittenLiteral | undefined;
    this.OPTION2(() => {
      this.OR([
        {
          ALT: () => {
            question = this.CONSUME(Question);
          },
        },
        {
          ALT: () => {
            this.CONSUME(Equals);
            literal = this.SUBRULE(this.literal);
          },
        },
      ]);
    });
    return this.ACTION(() => {
      const { start } = spanOf(key);
      const end = endOf(literal?.span ?? question ?? type.at(-1) ?? key);
      return { key, type, question, literal, span: { start, end } };
    });
  });

  // Choice ::= ChoiceWord | String
  /** Type ::= TypeName | Choice ( '|' Choice )+ */
  readonly type: Rule<readonly IToken[]> = this.RULE('type', () => {
    const names: IToken[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: Bar,
      DEF: () => {
        names.push(this.OR([{ ALT: () => this.CONSUME(Word) }, { ALT: () => this.CONSUME(Text) }]));
      },
    });
    return names;
  });

  /** Literal ::= Value | BareWord */
  readonly literal: Rule<WrittenLiteral> = this.RULE('literal', () => {
    this.ACTION(() => {
      this.#refused = [];
    });
    const first = this.LA(1);
    const value = this.SUBRULE(this.value);
    const last = this.LA(0);
    return this.ACTION(() => {
      const span = { start: spanOf(first).start, end: spanOf(last).end };
      // By itself a word that is not JSON is a text.
      const refused = this.#refused.filter((token) => token !== first || token.tokenType === Text);
      return { value, span, refused };
    });
  });

  /** Value ::= Number | 'true' | 'false' | 'null' | String | List | Map */
  readonly value: Rule<LiteralValue> = this.RULE('value', () =>
    this.OR<LiteralValue>([
      { ALT: () => this.#scalar(this.CONSUME(Word)) },
      { ALT: () => this.#scalar(this.CONSUME(Text)) },
      { ALT: () => this.SUBRULE(this.list) },
      { ALT: () => this.SUBRULE(this.map) },
    ]),
  );

  /** List ::= '[' ( Value ( ',' Value )* )? ']' */
  readonly list: Rule<LiteralValue> = this.RULE('list', () => {
    const values: LiteralValue[] = [];
    this.CONSUME(LeftBracket);
    this.MANY_SEP({
      SEP: Comma,
      DEF: () => {
        values.push(this.SUBRULE(this.value));
      },
    });
    this.CONSUME(RightBracket);
    return values;
  });

  /** Map ::= '{' ( String ':' Value ( ',' String ':' Value )* )? '}' */
  readonly map: Rule<LiteralValue> = this.RULE('map', () => {
    const members: [string, LiteralValue][] = [];
    this.CONSUME(LeftBrace);
    this.MANY_SEP({
      SEP: Comma,
      DEF: () => {
        const name = this.CONSUME(Text);
        this.CONSUME(Colon);
        const value = this.SUBRULE(this.value);
        this.ACTION(() => members.push([String(this.#scalar(name)), value]));
      },
    });
    this.CONSUME(RightBrace);
    return Object.fromEntries(members);
  });

  #scalar(token: IToken): LiteralValue {
    return this.ACTION(() => {
      try {
        return JSON.parse(token.image) as LiteralValue;
      } catch {
        this.#refused.push(token);
        return token.image;
      }
    });
  }
}

function endOf(place: Span | IToken): number {
  return 'end' in place ? place.end : spanOf(place).end;
}
