import { EmbeddedActionsParser, EOF, type IToken } from 'chevrotain';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import type { Actions } from './actions.js';
import type { ValueNode } from './ast.js';
import type { AttributeBlock } from './attribute-list.js';
import { beginsGraph, countSurplusBraces, isGraphKeyword, isInBlock } from './look-ahead.js';
import * as t from './tokens.js';

/**
 * The grammar of §2.2; the production stands above each rule.
 *
 * Every rule also accepts common mistakes of authors, and the action reports them, so that any sequence of
 * tokens is a sentence: chevrotain never throws and never has to recover. The grammar is flat: the braces
 * of subgraphs are items of one loop, and the tree is built with an explicit stack, so that deep nesting
 * cannot exhaust the call stack.
 */
export class DotParser extends EmbeddedActionsParser {
  /** Undefined while chevrotain records the grammar. */
  #actions: Actions | undefined;
  // State that alternatives share: they are functions that are built once, not for every statement. The
  // parts that most statements have are not separate rules, because entering a rule takes as long as
  // reading two tokens.
  #name = NONE;
  #chain: IToken[] = [];
  #furtherBlocks: AttributeBlock[] = [];
  #latestValue: ValueNode | undefined;
  #surplusBraces: number | undefined;

  constructor(options: GrammarOptions) {
    super([...t.tokenTypes], parserConfig(options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, t.tokenTypes, options.decisions);
  }

  parse(tokens: IToken[], actions: Actions): void {
    this.#actions = actions;
    this.#surplusBraces = undefined;
    this.input = tokens;
    this.document();
    const [error] = this.errors;
    // A parser that keeps a token keeps the whole text in memory.
    this.input = [];
    this.#actions = undefined;
    this.#name = NONE;
    this.#chain = [];
    this.#latestValue = undefined;
    if (error !== undefined) throw new Error(`the grammar rejects a text: ${error.message}`);
  }

  // Graph ::= 'digraph' Identifier '{' Statement* '}' ';'?
  readonly document = this.RULE('document', () => {
    this.SUBRULE(this.header);
    this.MANY({ GATE: () => this.#actions?.isGraphOpen() === true, DEF: () => this.OR(this.#statement) });
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
    {
      ALT: () => {
        this.#name = this.CONSUME(t.Name);
        this.OR2(this.#afterName);
        this.OPTION(this.#semicolon);
      },
    },
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
  readonly #afterName = [
    { ALT: () => this.SUBRULE(this.assignment) },
    { ALT: () => this.#openAnonymous(this.#name, this.CONSUME(t.LCurly)) },
    {
      ALT: () => {
        this.#chain = [this.#name];
        this.MANY2(this.#port);
        this.MANY3(this.#edge);
        const block = this.OPTION2(this.#blocks);
        this.#actions?.statements.nodeOrEdge(this.#chain, block, this.LA(1), this.LA(2));
      },
    },
  ];

  // the rest of GraphAttrDecl: '=' Value
  readonly assignment = this.RULE('assignment', () => {
    const key = this.#name;
    const equals = this.CONSUME(t.Equals);
    const value = this.#value(equals);
    this.#actions?.statements.assign(key, value);
  });

  // of EdgeStmt: '->' Identifier
  readonly #edge = () => {
    const operator = this.CONSUME(t.EdgeOperator);
    const target = this.OPTION3(this.#target);
    this.MANY4(this.#targetPort);
    this.#actions?.statements.edgeOperator(operator, target, this.LA(1));
    if (target !== undefined) this.#chain.push(target);
  };

  readonly #target = () => this.CONSUME2(t.Name);
  readonly #port = () => this.SUBRULE(this.port);
  readonly #targetPort = () => this.SUBRULE2(this.port);

  readonly #semicolon = () => this.CONSUME(t.Semicolon);

  readonly port = this.RULE('port', () => {
    const colon = this.CONSUME(t.Colon);
    const name = this.OPTION(() => this.OR(this.#portNames));
    this.#actions?.statements.port(colon, name);
  });

  // After a colon the lexer takes words for values.
  readonly #portNames = [
    { ALT: () => this.CONSUME(t.BareWord) },
    { ALT: () => this.CONSUME(t.BooleanLiteral) },
    { ALT: () => this.CONSUME(t.Name) },
  ];

  // of a statement: AttrBlock? (and what is reported: several of them)
  readonly #blocks = () => {
    const block = this.SUBRULE(this.attributeBlock);
    this.MANY5(this.#furtherBlock);
    return this.#joined(block);
  };
  readonly #furtherBlock = () => {
    const block = this.SUBRULE2(this.attributeBlock);
    if (block !== undefined) this.#furtherBlocks.push(block);
  };

  #joined(block: AttributeBlock | undefined): AttributeBlock | undefined {
    if (block === undefined || this.#furtherBlocks.length === 0) return block;
    const blocks = [block, ...this.#furtherBlocks];
    this.#furtherBlocks = [];
    return this.#actions?.statements.joinBlocks(blocks);
  }

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
        this.#actions?.statements.openSubgraph(this.#name, name, brace, this.LA(1));
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
    if (block !== undefined) this.#actions?.statements.attributesAlone(block);
  });

  // AttrBlock ::= '[' ( Attr ( ',' Attr )* )? ']'
  readonly attributeBlock = this.RULE('attributeBlock', (): AttributeBlock | undefined => {
    const open = this.CONSUME(t.LSquare);
    this.#actions?.list.open(open);
    this.MANY(this.#blockItems);
    const end = this.OPTION(this.#blockEnd);
    return this.#actions?.list.close(end, this.LA(1));
  });

  readonly #blockItems = { GATE: () => this.#isInBlock(), DEF: () => this.OR(this.#blockItem) };
  readonly #blockEnd = { GATE: () => this.#isBlockEnd(), DEF: () => this.CONSUME(t.BlockEnd) };

  // Attr ::= Key '=' Value
  // Key  ::= QualifiedId | String
  readonly #blockItem = [
    {
      ALT: () => {
        this.#name = this.CONSUME(t.Key);
        this.OR2(this.#afterKey);
        this.OPTION3(this.#comma);
      },
    },
    { ALT: () => this.#separator(this.CONSUME(t.Comma)) },
    { ALT: () => this.#separator(this.CONSUME(t.Semicolon)) },
    { ALT: () => this.#junkInBlock(this.CONSUME(t.EdgeOperator)) },
    { ALT: () => this.#junkInBlock(this.CONSUME(t.Junk)) },
  ];

  readonly #comma = () => this.#separator(this.CONSUME2(t.Comma));

  readonly #afterKey = [
    {
      ALT: () => {
        const sign = this.CONSUME(t.Joiner);
        this.#attribute(sign, this.#value(sign));
      },
    },
    {
      ALT: () => {
        const text = this.OPTION2(this.#valueWithoutEquals);
        this.#actions?.attributeWithoutEquals(this.#name, text);
      },
    },
  ];

  readonly #valueWithoutEquals = {
    GATE: () => this.#isValueWithoutEquals(),
    DEF: () => this.CONSUME(t.StringLiteral),
  };

  // Value ::= String | Integer | Float | Boolean | Duration | BareWord
  #value(sign: IToken): ValueNode | undefined {
    const token = this.OPTION8(this.#valueToken);
    this.#latestValue = this.#actions?.value(sign, token, this.LA(1));
    this.MANY9(this.#joinedValue);
    return this.#latestValue;
  }

  readonly #valueToken = () => this.CONSUME8(t.Value);

  readonly #joinedValue = () => {
    const plus = this.CONSUME(t.Plus);
    const next = this.OPTION9(this.#nextValueToken);
    this.#latestValue = this.#actions?.concatenate(this.#latestValue, plus, next);
  };

  readonly #nextValueToken = () => this.CONSUME9(t.Value);

  readonly rest = this.RULE('rest', () => {
    let first = true;
    this.MANY(() => {
      const token = this.CONSUME(t.AnyToken);
      if (first) this.#actions?.trailing(token, this.LA(1));
      first = false;
    });
  });

  // Calls with tokens as arguments: chevrotain must see those consumed while it records the grammar without
  // actions.

  #openAnonymous(name: IToken | undefined, brace: IToken): void {
    this.#actions?.statements.openAnonymous(name, brace);
  }

  #missingSource(before: IToken, operator: IToken): void {
    this.#actions?.statements.missingSource(operator, before);
  }

  #stray(token: IToken): void {
    this.#actions?.statements.stray(token);
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

  // The grammar decides by one token; if that is not enough, these look further ahead.

  readonly #look = (howMuch: number): IToken => this.LA(howMuch);

  /** False at the end of a block of attributes, rightly or wrongly. */
  #isInBlock(): boolean {
    return isInBlock(this.LA(1), this.LA(2), this.#continuesValue);
  }

  readonly #continuesValue = (): boolean =>
    this.#actions?.list.continuesValue(this.LA(1).startOffset, 0) === true;

  /** True if a block ends with the next token, `]` or `}`. */
  #isBlockEnd(): boolean {
    return this.LA(1).tokenType === t.RSquare || this.#isBraceForBracket();
  }

  /** True for a `}` in place of a missing `]`, in a text with more closing than opening braces. */
  #isBraceForBracket(): boolean {
    if (this.LA(1).tokenType !== t.RCurly) return false;
    this.#surplusBraces ??= countSurplusBraces(this.input);
    this.#surplusBraces -= 1;
    return this.#surplusBraces >= 0;
  }

  /** `label "text"` */
  #isValueWithoutEquals(): boolean {
    return this.LA(0).tokenType !== t.StringLiteral && this.LA(2).tokenType !== t.Equals;
  }
}

const NONE: IToken = { image: '', startOffset: 0, tokenType: EOF, tokenTypeIdx: EOF.tokenTypeIdx ?? 0 };
