import { EmbeddedActionsParser, EOF, type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import type { ValueNode } from './ast.js';
import {
  type AttributeBlock,
  type AttributeList,
  createAttributeList,
  reportJunk,
} from './attribute-list.js';
import { openGraph, reportTrailing } from './header.js';
import { createReport, describe, endOf, type Report, replacement, spanOf } from './report.js';
import { createStatements, type Statements } from './statements.js';
import * as t from './tokens.js';
import { createTreeBuilder, type TreeBuilder } from './tree.js';
import { concatenate, readValue } from './values.js';

/** What the actions of one parse work on. */
interface Session {
  readonly report: Report;
  readonly tree: TreeBuilder;
  readonly list: AttributeList;
  readonly statements: Statements;
  /** How many more `}` than `{` the text has; counted when it matters. */
  surplusBraces?: number;
}

/**
 * The grammar of §2.2 with its actions; the production stands above each rule.
 *
 * Every rule also accepts what authors write by mistake, and the action reports it, so that any sequence of tokens is a
 * sentence: chevrotain never throws and never has to recover. The grammar is flat: the braces of subgraphs are items of
 * one loop, and the tree is built with a stack of its own, so that deep nesting cannot exhaust the call stack.
 */
export class DotParser extends EmbeddedActionsParser {
  #session: Session = createSession(createReport(''));

  constructor(options: { readonly skipValidations: boolean }) {
    super([...t.tokenTypes], { maxLookahead: 1, skipValidations: options.skipValidations });
    this.performSelfAnalysis();
  }

  /** Parses tokens and builds the tree, reporting what is wrong. */
  parse(tokens: readonly IToken[], report: Report): TreeBuilder {
    const session = createSession(report);
    this.#session = session;
    this.input = [...tokens];
    this.document();
    // A parser that keeps its input keeps the whole text in memory.
    this.input = [];
    this.#session = createSession(createReport(''));
    return session.tree;
  }

  // Graph ::= 'digraph' Identifier '{' Statement* '}'
  readonly document = this.RULE('document', () => {
    this.SUBRULE(this.header);
    this.MANY({ GATE: () => this.#session.tree.isOpen, DEF: () => this.SUBRULE(this.statement) });
    this.SUBRULE(this.rest);
  });

  readonly header = this.RULE('header', () => {
    const preamble: IToken[] = [];
    const names: IToken[] = [];
    this.MANY({ GATE: () => !this.#atGraph(), DEF: () => preamble.push(this.CONSUME(t.AnyToken)) });
    const keyword = this.OPTION({ GATE: () => isGraphKeyword(this.LA(1)), DEF: () => this.CONSUME(t.Name) });
    this.MANY2({
      GATE: () => names.length === 0 || this.LA(2).tokenType === t.LCurly,
      DEF: () => names.push(this.CONSUME2(t.Name)),
    });
    const brace = this.OPTION2(() => this.CONSUME(t.LCurly));
    this.ACTION(() => {
      const header = { preamble, keyword, names, brace, next: this.LA(1) };
      openGraph(header, this.#session.tree, this.#session.report);
    });
  });

  // Statement ::= GraphAttrStmt | NodeDefaults | EdgeDefaults | SubgraphStmt | NodeStmt | EdgeStmt | GraphAttrDecl
  readonly statement = this.RULE('statement', () => {
    this.OR(this.#statements);
  });

  readonly #statements = [
    { ALT: () => this.SUBRULE(this.named) },
    { ALT: () => this.SUBRULE(this.subgraph) },
    { ALT: () => this.SUBRULE(this.closing) },
    { ALT: () => this.#session.statements.openAnonymous(undefined, this.CONSUME(t.LCurly)) },
    { ALT: () => this.SUBRULE(this.orphanEdge) },
    { ALT: () => this.SUBRULE(this.orphanAttributes) },
    { ALT: () => this.#session.statements.straySemicolon(this.CONSUME(t.Semicolon)) },
    { ALT: () => this.#session.statements.strayComma(this.CONSUME(t.Comma)) },
    { ALT: () => this.#junk(this.CONSUME(t.RSquare)) },
    { ALT: () => this.#junk(this.CONSUME(t.Junk)) },
  ];

  // GraphAttrDecl ::= Key '=' Value ';'?
  // NodeStmt      ::= Identifier AttrBlock? ';'?
  // EdgeStmt      ::= Identifier ( '->' Identifier )+ AttrBlock? ';'?
  // GraphAttrStmt ::= 'graph' AttrBlock ';'?
  // NodeDefaults  ::= 'node' AttrBlock ';'?
  // EdgeDefaults  ::= 'edge' AttrBlock ';'?
  readonly named = this.RULE('named', () => {
    const first = this.CONSUME(t.Name);
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Equals);
          const value = this.SUBRULE(this.value);
          this.ACTION(() => this.#session.statements.assign(first, value));
        },
      },
      { ALT: () => this.#session.statements.openAnonymous(first, this.CONSUME(t.LCurly)) },
      {
        ALT: () => {
          const chain = this.SUBRULE(this.chain, { ARGS: [first] });
          const block = this.SUBRULE(this.attributeBlocks);
          this.ACTION(() => this.#session.statements.nodeOrEdge(chain, block, [this.LA(1), this.LA(2)]));
        },
      },
    ]);
    this.OPTION(() => this.CONSUME(t.Semicolon));
  });

  // the rest of EdgeStmt: ( '->' Identifier )*
  readonly chain = this.RULE('chain', (first: IToken): readonly IToken[] => {
    const chain = [first];
    this.MANY(() => this.SUBRULE(this.port));
    this.MANY2(() => {
      const operator = this.CONSUME(t.EdgeOperator);
      const target = this.OPTION(() => this.CONSUME(t.Name));
      this.MANY3(() => this.SUBRULE2(this.port));
      this.ACTION(() => {
        this.#session.statements.edgeOperator(operator);
        if (target !== undefined) chain.push(target);
        else this.#session.statements.missingTarget(operator, this.LA(1));
      });
    });
    return chain;
  });

  readonly port = this.RULE('port', () => {
    const colon = this.CONSUME(t.Colon);
    const name = this.OPTION(() => this.OR(this.#portNames));
    this.ACTION(() => this.#session.statements.port(colon, name));
  });

  // Behind a colon the lexer takes words for values.
  readonly #portNames = [
    { ALT: () => this.CONSUME(t.BareWord) },
    { ALT: () => this.CONSUME(t.BooleanLiteral) },
    { ALT: () => this.CONSUME(t.Name) },
  ];

  // SubgraphStmt ::= 'subgraph' Identifier? '{' Statement* '}'
  readonly subgraph = this.RULE('subgraph', () => {
    const keyword = this.CONSUME(t.Subgraph);
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Equals);
          const value = this.SUBRULE(this.value);
          this.OPTION3(() => this.CONSUME(t.Semicolon));
          this.ACTION(() => this.#session.statements.assign(keyword, value));
        },
      },
      {
        ALT: () => {
          const name = this.OPTION(() => this.CONSUME(t.Name));
          const brace = this.OPTION2(() => this.CONSUME(t.LCurly));
          this.ACTION(() => this.#session.statements.openSubgraph(keyword, name, brace, this.LA(1)));
        },
      },
    ]);
  });

  // the end of Graph and SubgraphStmt: '}'
  readonly closing = this.RULE('closing', () => {
    const brace = this.CONSUME(t.RCurly);
    this.OPTION(() => this.CONSUME(t.Semicolon));
    this.ACTION(() => this.#session.tree.close(brace));
  });

  readonly orphanEdge = this.RULE('orphanEdge', () => {
    const operator = this.CONSUME(t.EdgeOperator);
    this.ACTION(() => this.#session.statements.missingSource(operator, this.LA(-1)));
  });

  readonly orphanAttributes = this.RULE('orphanAttributes', () => {
    const block = this.SUBRULE(this.attributeBlock);
    this.ACTION(() => this.#session.statements.attributesAlone(block));
    this.OPTION(() => this.CONSUME(t.Semicolon));
  });

  // AttrBlock? (and what is reported: several of them)
  readonly attributeBlocks = this.RULE('attributeBlocks', (): AttributeBlock | undefined => {
    const blocks: AttributeBlock[] = [];
    this.MANY(() => {
      const block = this.SUBRULE(this.attributeBlock);
      this.ACTION(() => blocks.push(block));
    });
    return this.ACTION(() => (blocks.length > 1 ? this.#session.statements.joinBlocks(blocks) : blocks[0]));
  });

  // AttrBlock ::= '[' ( Attr ( ',' Attr )* )? ']'
  readonly attributeBlock = this.RULE('attributeBlock', (): AttributeBlock => {
    const open = this.CONSUME(t.LSquare);
    this.ACTION(() => this.#session.list.open(open));
    this.MANY({ GATE: () => this.#insideBlock(), DEF: () => this.OR(this.#blockItems) });
    const bracket = this.OPTION(() => this.CONSUME(t.RSquare));
    const brace = this.OPTION2({
      GATE: () => bracket === undefined && this.#isBraceForBracket(),
      DEF: () => this.CONSUME(t.RCurly),
    });
    return this.ACTION(() => this.#session.list.close(bracket ?? brace, this.LA(1)));
  });

  readonly #blockItems = [
    { ALT: () => this.SUBRULE(this.attribute) },
    { ALT: () => this.#session.list.separator(this.CONSUME(t.Comma)) },
    { ALT: () => this.#session.list.separator(this.CONSUME(t.Semicolon)) },
    { ALT: () => this.#session.list.junk(this.CONSUME(t.EdgeOperator)) },
    { ALT: () => this.#session.list.junk(this.CONSUME(t.Junk)) },
  ];

  // Attr        ::= Key '=' Value
  // Key         ::= Identifier | QualifiedId | String
  readonly attribute = this.RULE('attribute', () => {
    const key = this.CONSUME(t.Key);
    this.OR([
      {
        ALT: () => {
          const equals = this.CONSUME(t.Equals);
          const value = this.SUBRULE(this.value);
          this.ACTION(() => this.#session.list.attribute(key, equals, value));
        },
      },
      {
        ALT: () => {
          const colon = this.CONSUME(t.Colon);
          const value = this.SUBRULE2(this.value);
          this.ACTION(() => this.#session.list.attribute(key, colon, value));
        },
      },
      {
        ALT: () => {
          const text = this.OPTION({
            GATE: () => this.#isValueWithoutEquals(),
            DEF: () => this.CONSUME(t.StringLiteral),
          });
          this.ACTION(() => this.#valueWithoutEquals(key, text));
        },
      },
    ]);
  });

  // Value ::= String | Integer | Float | Boolean | Duration | BareWord
  readonly value = this.RULE('value', (): ValueNode | undefined => {
    const before = this.LA(0);
    const token = this.OPTION(() => this.CONSUME(t.Value));
    let value = this.ACTION(() => this.#readValue(before, token));
    this.MANY(() => {
      const plus = this.CONSUME(t.Plus);
      const next = this.OPTION2(() => this.CONSUME2(t.Value));
      this.ACTION(() => {
        const right = next === undefined ? undefined : readValue(next, this.#session.report);
        if (value !== undefined) value = concatenate(value, plus, right, this.#session.report);
      });
    });
    return value;
  });

  readonly rest = this.RULE('rest', () => {
    let reported = false;
    this.MANY(() => {
      const token = this.CONSUME(t.AnyToken);
      this.ACTION(() => {
        if (!reported) reportTrailing(token, [this.LA(1), this.LA(2)], this.#session.report);
        reported = true;
      });
    });
  });

  // The grammar decides by one token; where that is not enough, these look further ahead.

  /** Whether a graph begins here: `digraph`, or something like it with a `{` near. */
  #atGraph(): boolean {
    const token = this.LA(1);
    if (token.tokenType === t.Digraph) return true;
    if (!tokenMatcher(token, t.Name)) return false;
    const next = this.LA(2);
    if (next.tokenType === t.LCurly) return true;
    return isGraphKeyword(token) && tokenMatcher(next, t.Name) && this.LA(3).tokenType === t.LCurly;
  }

  /** False where the block ends, or where a statement begins because its `]` is missing. */
  #insideBlock(): boolean {
    const token = this.LA(1);
    if (token.tokenType === t.Arrow) return this.#session.list.continuesValue(token.startOffset, 0);
    if (BLOCK_ENDS.has(token.tokenType)) return false;
    const next = this.LA(2).tokenType;
    if (next === t.Equals || !tokenMatcher(token, t.Key)) return true;
    return token.tokenType !== t.Subgraph && next !== t.Arrow && next !== t.LSquare && next !== t.LCurly;
  }

  /** Whether a `}` stands where `]` is missing, in a text with more closing than opening braces. */
  #isBraceForBracket(): boolean {
    if (this.LA(1).tokenType !== t.RCurly) return false;
    this.#session.surplusBraces ??= countSurplusBraces(this.input);
    this.#session.surplusBraces -= 1;
    return this.#session.surplusBraces >= 0;
  }

  #readValue(before: IToken, token: IToken | undefined): ValueNode | undefined {
    const { report } = this.#session;
    if (before.image !== '=') {
      const fix = replacement('Write =', spanOf(before), '=');
      report.add(
        'missing_equals',
        spanOf(before),
        `Key and value are joined by "=", found ${describe(before)}`,
        { fix },
      );
    }
    if (token !== undefined) return readValue(token, report);
    const place = { start: endOf(before), end: endOf(before) };
    report.add('missing_value', place, `Expected a value behind "=", found ${describe(this.LA(1))}`);
    return undefined;
  }

  /** `label "text"` */
  #isValueWithoutEquals(): boolean {
    return this.LA(0).tokenType !== t.StringLiteral && this.LA(2).tokenType !== t.Equals;
  }

  #valueWithoutEquals(key: IToken, text: IToken | undefined): void {
    const { report, list } = this.#session;
    if (text === undefined) {
      list.attribute(key, undefined, undefined);
      return;
    }
    const place = { start: endOf(key), end: endOf(key) };
    report.add('missing_equals', place, `Expected "=" between ${describe(key)} and ${describe(text)}`, {
      fix: replacement('Insert =', place, '='),
    });
    list.attribute(key, key, readValue(text, report));
  }

  #junk(token: IToken): void {
    reportJunk(token, 'a statement or "}"', this.#session.report);
  }
}

const BLOCK_ENDS: ReadonlySet<TokenType> = new Set([EOF, t.LSquare, t.RSquare, t.LCurly, t.RCurly]);

function countSurplusBraces(tokens: readonly IToken[]): number {
  let surplus = 0;
  for (const { tokenType } of tokens) {
    if (tokenType === t.RCurly) surplus += 1;
    else if (tokenType === t.LCurly) surplus -= 1;
  }
  return surplus;
}

/** `digraph`, `graph`, and both in capital letters. */
function isGraphKeyword(token: IToken): boolean {
  if (token.tokenType === t.Digraph || token.tokenType === t.GraphKeyword) return true;
  const word = token.tokenType === t.Word ? token.image.toLowerCase() : '';
  return word === 'digraph' || word === 'graph';
}

function createSession(report: Report): Session {
  const tree = createTreeBuilder(report);
  return { report, tree, list: createAttributeList(report), statements: createStatements(tree, report) };
}
