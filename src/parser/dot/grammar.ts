import { EOF, type IToken } from 'chevrotain';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import type { Actions } from './actions.js';
import type { ValueNode } from './ast.js';
import type { AttributeBlock } from './attribute-list.js';
import { beginsGraph, countSurplusBraces, isGraphKeyword, isInBlock } from './look-ahead.js';
import { readPlainStatement } from './plain-statements.js';
import type { TokenList } from './token-list.js';
import { TokenReader } from './token-reader.js';
import * as t from './tokens.js';

/**
 * The grammar of §2.2; the production stands above each rule.
 *
 * Every rule also accepts what authors write by mistake, and the action reports it, so that any sequence of tokens is a
 * sentence: chevrotain never throws and never has to recover. The grammar is flat: the braces of subgraphs are items of
 * one loop, and the tree is built with a stack of its own, so that deep nesting cannot exhaust the call stack.
 */
export class DotParser extends TokenReader {
  /** Missing while chevrotain records the grammar. */
  #actions: Actions | undefined;
  /** What the alternatives behind a name or key need to know; they are built once, not for every statement. */
  #name = NONE;
  #surplusBraces: number | undefined;

  constructor(options: GrammarOptions) {
    super([...t.tokenTypes], parserConfig(t.tokenTypes, options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, t.tokenTypes, options.decisions);
  }

  parse(tokens: TokenList, actions: Actions): void {
    this.#actions = actions;
    this.#surplusBraces = undefined;
    this.withTokens(tokens, () => this.document());
    const [error] = this.errors;
    this.#actions = undefined;
    this.#name = NONE;
    if (error !== undefined) throw new Error(`the grammar rejects a text: ${error.message}`);
  }

  // Graph ::= 'digraph' Identifier '{' Statement* '}' ';'?
  readonly document = this.RULE('document', () => {
    this.SUBRULE(this.header);
    this.MANY({ GATE: () => this.#isStatementAhead(), DEF: () => this.OR(this.#statement) });
    this.SUBRULE(this.rest);
  });

  readonly header = this.RULE('header', () => {
    const preamble: IToken[] = [];
    const names: IToken[] = [];
    this.MANY({ GATE: () => !beginsGraph(this.#look), DEF: () => preamble.push(this.CONSUME(t.AnyToken)) });
    const keyword = this.OPTION({ GATE: () => isGraphKeyword(this.LA(1)), DEF: () => this.CONSUME(t.Name) });
    this.MANY2({
      GATE: () => names.length === 0 || this.LA(2).tokenType === t.LCurly,
      DEF: () => names.push(this.CONSUME2(t.Name)),
    });
    const brace = this.OPTION2(() => this.CONSUME(t.LCurly));
    this.#actions?.header({ preamble, keyword, names, brace, next: this.LA(1) });
  });

  // Statement ::= GraphAttrStmt | NodeDefaults | EdgeDefaults | SubgraphStmt | NodeStmt | EdgeStmt | GraphAttrDecl
  readonly #statement = [
    { ALT: () => this.SUBRULE(this.named) },
    { ALT: () => this.SUBRULE(this.subgraph) },
    { ALT: () => this.SUBRULE(this.closing) },
    { ALT: () => this.SUBRULE(this.mistake) },
  ];

  // GraphAttrDecl ::= Key '=' Value ';'?
  // NodeStmt      ::= Identifier AttrBlock? ';'?
  // EdgeStmt      ::= Identifier ( '->' Identifier )+ AttrBlock? ';'?
  // GraphAttrStmt ::= 'graph' AttrBlock ';'?
  // NodeDefaults  ::= 'node' AttrBlock ';'?
  // EdgeDefaults  ::= 'edge' AttrBlock ';'?
  readonly named = this.RULE('named', () => {
    this.#name = this.CONSUME(t.Name);
    this.OR(this.#afterName);
    this.OPTION(this.#semicolon);
  });

  readonly #semicolon = () => this.CONSUME(t.Semicolon);

  readonly #afterName = [
    { ALT: () => this.SUBRULE(this.assignment) },
    { ALT: () => this.#openAnonymous(this.#name, this.CONSUME(t.LCurly)) },
    {
      ALT: () => {
        const chain = this.SUBRULE(this.chain);
        const block = this.SUBRULE(this.attributeBlocks);
        this.#actions?.nodeOrEdge(chain, block, [this.LA(1), this.LA(2)]);
      },
    },
  ];

  // the rest of GraphAttrDecl: '=' Value
  readonly assignment = this.RULE('assignment', () => {
    const key = this.#name;
    this.CONSUME(t.Equals);
    const value = this.SUBRULE(this.value);
    this.#actions?.assign(key, value);
  });

  // the rest of EdgeStmt: ( '->' Identifier )*
  readonly chain = this.RULE('chain', (): readonly IToken[] => {
    const chain = [this.#name];
    this.MANY(this.#port);
    this.MANY2(() => {
      const operator = this.CONSUME(t.EdgeOperator);
      const target = this.OPTION(this.#target);
      this.MANY3(this.#targetPort);
      this.#actions?.edgeOperator(operator, target, this.LA(1));
      if (target !== undefined) chain.push(target);
    });
    return chain;
  });

  readonly #target = () => this.CONSUME(t.Name);
  readonly #port = () => this.SUBRULE(this.port);
  readonly #targetPort = () => this.SUBRULE2(this.port);

  readonly port = this.RULE('port', () => {
    const colon = this.CONSUME(t.Colon);
    const name = this.OPTION(() => this.OR(this.#portNames));
    this.#actions?.port(colon, name);
  });

  // Behind a colon the lexer takes words for values.
  readonly #portNames = [
    { ALT: () => this.CONSUME(t.BareWord) },
    { ALT: () => this.CONSUME(t.BooleanLiteral) },
    { ALT: () => this.CONSUME(t.Name) },
  ];

  // SubgraphStmt ::= 'subgraph' Identifier? '{' Statement* '}' ';'?
  readonly subgraph = this.RULE('subgraph', () => {
    this.#name = this.CONSUME(t.Subgraph);
    this.OR(this.#afterSubgraph);
  });

  readonly #afterSubgraph = [
    {
      ALT: () => {
        this.SUBRULE(this.assignment);
        this.OPTION(this.#semicolon);
      },
    },
    {
      ALT: () => {
        const name = this.OPTION2(() => this.CONSUME(t.Name));
        const brace = this.OPTION3(() => this.CONSUME(t.LCurly));
        this.#actions?.openSubgraph(this.#name, name, brace, this.LA(1));
      },
    },
  ];

  // the end of Graph and SubgraphStmt: '}'
  readonly closing = this.RULE('closing', () => {
    const brace = this.CONSUME(t.RCurly);
    this.OPTION(this.#semicolon);
    this.#actions?.close(brace);
  });

  readonly mistake = this.RULE('mistake', () => {
    this.OR(this.#mistakes);
  });

  readonly #mistakes = [
    { ALT: () => this.#openAnonymous(undefined, this.CONSUME(t.LCurly)) },
    { ALT: () => this.#missingSource(this.LA(0), this.CONSUME(t.EdgeOperator)) },
    { ALT: () => this.SUBRULE(this.attributesAlone) },
    { ALT: () => this.#stray(this.CONSUME(t.Semicolon)) },
    { ALT: () => this.#stray(this.CONSUME(t.Comma)) },
    { ALT: () => this.#stray(this.CONSUME(t.RSquare)) },
    {
      ALT: () => {
        const sign = this.CONSUME(t.Junk);
        this.OPTION({ GATE: () => sign.tokenType === t.Equals, DEF: () => this.CONSUME(t.Value) });
        this.#stray(sign);
      },
    },
  ];

  readonly attributesAlone = this.RULE('attributesAlone', () => {
    const block = this.SUBRULE(this.attributeBlock);
    this.OPTION(this.#semicolon);
    if (block !== undefined) this.#actions?.attributesAlone(block);
  });

  // AttrBlock? (and what is reported: several of them)
  readonly attributeBlocks = this.RULE('attributeBlocks', (): AttributeBlock | undefined => {
    let first: AttributeBlock | undefined;
    let others: AttributeBlock[] | undefined;
    this.MANY(() => {
      const block = this.SUBRULE(this.attributeBlock);
      if (first === undefined) {
        first = block;
      } else if (block !== undefined) {
        others ??= [first];
        others.push(block);
      }
    });
    return others === undefined ? first : this.#actions?.joinBlocks(others);
  });

  // AttrBlock ::= '[' ( Attr ( ',' Attr )* )? ']'
  readonly attributeBlock = this.RULE('attributeBlock', (): AttributeBlock | undefined => {
    const open = this.CONSUME(t.LSquare);
    this.#actions?.list.open(open);
    this.MANY(this.#blockItems);
    const bracket = this.OPTION(this.#bracket);
    const brace = this.OPTION2(this.#braceForBracket);
    return this.#actions?.list.close(bracket ?? brace, this.LA(1));
  });

  readonly #blockItems = { GATE: () => this.#insideBlock(), DEF: () => this.OR(this.#blockItem) };
  readonly #bracket = () => this.CONSUME(t.RSquare);
  readonly #braceForBracket = { GATE: () => this.#isBraceForBracket(), DEF: () => this.CONSUME(t.RCurly) };

  readonly #blockItem = [
    { ALT: () => this.SUBRULE(this.attribute) },
    { ALT: () => this.#separator(this.CONSUME(t.Comma)) },
    { ALT: () => this.#separator(this.CONSUME(t.Semicolon)) },
    { ALT: () => this.#junkInBlock(this.CONSUME(t.EdgeOperator)) },
    { ALT: () => this.#junkInBlock(this.CONSUME(t.Junk)) },
  ];

  // Attr ::= Key '=' Value
  // Key  ::= QualifiedId | String
  readonly attribute = this.RULE('attribute', () => {
    this.#name = this.CONSUME(t.Key);
    this.OR(this.#afterKey);
  });

  readonly #afterKey = [
    { ALT: () => this.#attribute(this.CONSUME(t.Equals), this.SUBRULE(this.value)) },
    { ALT: () => this.#attribute(this.CONSUME(t.Colon), this.SUBRULE2(this.value)) },
    {
      ALT: () => {
        const gated = { GATE: () => this.#isValueWithoutEquals(), DEF: () => this.CONSUME(t.StringLiteral) };
        const text = this.OPTION(gated);
        this.#actions?.attributeWithoutEquals(this.#name, text);
      },
    },
  ];

  // Value ::= String | Integer | Float | Boolean | Duration | BareWord
  readonly value = this.RULE('value', (): ValueNode | undefined => {
    const before = this.LA(0);
    const token = this.OPTION(this.#value);
    let value = this.#actions?.value(before, token, this.LA(1));
    this.MANY(() => {
      const plus = this.CONSUME(t.Plus);
      const next = this.OPTION2(this.#nextValue);
      value = this.#actions?.concatenate(value, plus, next);
    });
    return value;
  });

  readonly #value = () => this.CONSUME(t.Value);
  readonly #nextValue = () => this.CONSUME2(t.Value);

  readonly rest = this.RULE('rest', () => {
    let first = true;
    this.MANY(() => {
      const token = this.CONSUME(t.AnyToken);
      if (first) this.#actions?.trailing(token, this.LA(1));
      first = false;
    });
  });

  // Calls with tokens as arguments: chevrotain must see those consumed while it records the grammar without actions.

  #openAnonymous(name: IToken | undefined, brace: IToken): void {
    this.#actions?.openAnonymous(name, brace);
  }

  #missingSource(before: IToken, operator: IToken): void {
    this.#actions?.missingSource(operator, before);
  }

  #stray(token: IToken): void {
    this.#actions?.stray(token);
  }

  #attribute(equals: IToken, value: ValueNode | undefined): void {
    this.#actions?.list.attribute(this.#name, equals, value);
  }

  #separator(token: IToken): void {
    this.#actions?.list.separator(token);
  }

  #junkInBlock(token: IToken): void {
    this.#actions?.list.junk(token);
  }

  // The grammar decides by one token; where that is not enough, these look further ahead.

  /** Reads a statement if it is plain. */
  protected plainStatement(actions: Actions): boolean {
    const length = readPlainStatement(this.tokens, this.next, actions);
    this.skip(length);
    return length > 0;
  }

  /** Whether the graph is still open behind the plain statements that begin here. */
  #isStatementAhead(): boolean {
    if (this.#actions?.isGraphOpen() !== true) return false;
    while (this.plainStatement(this.#actions));
    return true;
  }

  readonly #look = (howMuch: number): IToken => this.LA(howMuch);

  /** False where a block of attributes ends, rightly or wrongly. */
  #insideBlock(): boolean {
    const { startOffset } = this.LA(1);
    return isInBlock(this.#look, () => this.#actions?.list.continuesValue(startOffset, 0) === true);
  }

  /** Whether a `}` stands where `]` is missing, in a text with more closing than opening braces. */
  #isBraceForBracket(): boolean {
    if (this.LA(1).tokenType !== t.RCurly || this.LA(0).tokenType === t.RSquare) return false;
    this.#surplusBraces ??= countSurplusBraces(this.tokens);
    this.#surplusBraces -= 1;
    return this.#surplusBraces >= 0;
  }

  /** `label "text"` */
  #isValueWithoutEquals(): boolean {
    return this.LA(0).tokenType !== t.StringLiteral && this.LA(2).tokenType !== t.Equals;
  }
}

const NONE: IToken = { image: '', startOffset: 0, tokenType: EOF, tokenTypeIdx: EOF.tokenTypeIdx ?? 0 };
