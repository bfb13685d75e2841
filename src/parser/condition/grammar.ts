import { EmbeddedActionsParser, type IToken, type ParserMethod, tokenMatcher } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import type {
  ComparisonOperator,
  Condition,
  KeyOperand,
  ListOperand,
  LiteralOperand,
  Operand,
} from './ast.js';
import {
  And,
  BareLiteral,
  Comma,
  Contains,
  conditionTokens,
  EqualityOperator,
  Exists,
  False,
  In,
  LeftBracket,
  LeftParen,
  Matches,
  Not,
  NotWord,
  Or,
  OrderOperator,
  QuotedText,
  RightBracket,
  RightParen,
  spanOf,
  True,
  Word,
} from './tokens.js';
import { readsAsKey, type Side } from './words.js';

type Rule<Result> = ParserMethod<[], Result>;

/** Construct to be judged once the tree is complete, in the order of the text. */
export type Remark =
  | { readonly kind: 'double_equals'; readonly span: Span }
  | { readonly kind: 'bare_text'; readonly literal: LiteralOperand }
  | { readonly kind: 'word'; readonly operand: KeyOperand | LiteralOperand }
  | { readonly kind: 'pattern'; readonly operand: Operand }
  | { readonly kind: 'tested'; readonly operand: Operand; readonly by: Test };

/** Test that a clause puts to its left side: its operator, or without one whether it exists or is not empty. */
export type Test = ComparisonOperator | 'exists' | 'truthy';

/** The grammar of conditions: §10.2 and its superset in SEMANTICS §12. */
export class ConditionParser extends EmbeddedActionsParser {
  #remarks: Remark[] = [];

  constructor(options: GrammarOptions) {
    super([...conditionTokens], parserConfig(options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, conditionTokens, options.decisions);
  }

  parse(tokens: IToken[]): { readonly condition: Condition; readonly remarks: readonly Remark[] } {
    this.#remarks = [];
    this.input = tokens;
    return { condition: this.expression(), remarks: this.#remarks };
  }

  /** Expr ::= And ( '||' And )* */
  readonly expression: Rule<Condition> = this.RULE('expression', () => {
    const first = this.LA(1);
    const operands = [this.SUBRULE(this.conjunction)];
    this.MANY(() => {
      this.CONSUME(Or);
      operands.push(this.SUBRULE2(this.conjunction));
    });
    return this.#group('or', operands, first);
  });

  /** And ::= Unary ( '&&' Unary )* */
  readonly conjunction: Rule<Condition> = this.RULE('conjunction', () => {
    const first = this.LA(1);
    const operands = [this.SUBRULE(this.unary)];
    this.MANY(() => {
      this.CONSUME(And);
      operands.push(this.SUBRULE2(this.unary));
    });
    return this.#group('and', operands, first);
  });

  /** Unary ::= '!' Unary | '(' Expr ')' | Clause */
  readonly unary: Rule<Condition> = this.RULE('unary', () =>
    this.OR<Condition>([
      { ALT: () => this.SUBRULE(this.negation) },
      {
        ALT: () => {
          this.CONSUME(LeftParen);
          const inner = this.SUBRULE(this.expression);
          this.CONSUME(RightParen);
          return inner;
        },
      },
      { ALT: () => this.SUBRULE(this.clause) },
    ]),
  );

  readonly negation: Rule<Condition> = this.RULE('negation', (): Condition => {
    const operator = this.CONSUME(Not);
    const operand = this.SUBRULE(this.unary);
    return { kind: 'not', operand, span: this.#spanFrom(operator) };
  });

  /** Clause ::= 'true' | 'false' | 'exists' Key | Comparison */
  readonly clause: Rule<Condition> = this.RULE('clause', () =>
    this.OR<Condition>({
      // A word of the language that is followed by an operator is a key: the gates decide, in this order.
      IGNORE_AMBIGUITIES: true,
      DEF: [
        { GATE: () => !this.#isOperator(this.LA(2)), ALT: () => this.#constant(this.CONSUME(True), true) },
        { GATE: () => !this.#isOperator(this.LA(2)), ALT: () => this.#constant(this.CONSUME(False), false) },
        { GATE: () => tokenMatcher(this.LA(2), Word), ALT: () => this.SUBRULE(this.existence) },
        { ALT: () => this.SUBRULE(this.comparison) },
      ],
    }),
  );

  readonly existence: Rule<Condition> = this.RULE('existence', (): Condition => {
    const first = this.CONSUME(Exists);
    const token = this.CONSUME(Word);
    const key: KeyOperand = { kind: 'key', path: token.image, span: spanOf(token) };
    this.#remark({ kind: 'word', operand: key });
    this.#remark({ kind: 'tested', operand: key, by: 'exists' });
    return { kind: 'exists', key, span: this.#spanFrom(first) };
  });

  /** Comparison ::= Left ( ( '=' | '!=' | '==' ) Literal | TypedOp Right | 'matches' Pattern )? */
  readonly comparison: Rule<Condition> = this.RULE('comparison', () => {
    const first = this.LA(1);
    const left = this.SUBRULE(this.operand, { ARGS: ['left'] });
    return this.OR<Condition>([
      {
        ALT: () => {
          const operator = this.CONSUME(EqualityOperator);
          const right = this.SUBRULE(this.literal);
          if (operator.image === '==') this.#remark({ kind: 'double_equals', span: spanOf(operator) });
          const sign = operator.image === '!=' ? '!=' : '=';
          this.#remark({ kind: 'tested', operand: left, by: sign });
          return {
            kind: 'comparison',
            operator: sign,
            left,
            right,
            span: this.#spanFrom(first),
          };
        },
      },
      {
        ALT: () => {
          const operator = this.SUBRULE(this.typedOperator);
          const right = this.SUBRULE2(this.operand, { ARGS: ['right'] });
          this.#remark({ kind: 'tested', operand: left, by: operator });
          if (operator === 'matches') this.#remark({ kind: 'pattern', operand: right });
          return { kind: 'comparison', operator, left, right, span: this.#spanFrom(first) };
        },
      },
      {
        ALT: () => {
          this.#remark({ kind: 'tested', operand: left, by: 'truthy' });
          return { kind: 'truthy', operand: left, span: this.#spanFrom(first) };
        },
      },
    ]);
  });

  /** TypedOp ::= '<' | '<=' | '>' | '>=' | 'in' | 'not' 'in' | 'contains' */
  readonly typedOperator: Rule<ComparisonOperator> = this.RULE('typedOperator', () =>
    this.OR<ComparisonOperator>([
      { ALT: () => orderOperator(this.CONSUME(OrderOperator).image) },
      {
        ALT: () => {
          this.CONSUME(In);
          return 'in';
        },
      },
      {
        ALT: () => {
          this.CONSUME(NotWord);
          this.CONSUME2(In);
          return 'not in';
        },
      },
      {
        ALT: () => {
          this.CONSUME(Contains);
          return 'contains';
        },
      },
      {
        ALT: () => {
          this.CONSUME(Matches);
          return 'matches';
        },
      },
    ]),
  );

  /** Literal ::= String | BareLiteral */
  readonly literal: Rule<LiteralOperand> = this.RULE('literal', () =>
    this.OR<LiteralOperand>([
      { ALT: () => quotedText(this.CONSUME(QuotedText)) },
      {
        ALT: () => {
          const token = this.CONSUME(BareLiteral);
          const literal: LiteralOperand = {
            kind: 'literal',
            value: token.image,
            quoted: false,
            span: spanOf(token),
          };
          this.#remark({ kind: 'bare_text', literal });
          return literal;
        },
      },
    ]),
  );

  // Left    ::= Key | Number | String | List
  // Right   ::= Key | Bare | String | List
  // Pattern ::= Key | Bare | String
  readonly operand: ParserMethod<[Side], Operand> = this.RULE('operand', (side: Side) =>
    this.OR<Operand>([
      { ALT: () => this.#wordOperand(this.CONSUME(Word), side) },
      { ALT: () => quotedText(this.CONSUME(QuotedText)) },
      { ALT: () => this.SUBRULE(this.list) },
    ]),
  );

  /** List ::= '[' Right ( ',' Right )* ']' */
  readonly list: Rule<ListOperand> = this.RULE('list', (): ListOperand => {
    const first = this.CONSUME(LeftBracket);
    const items: Operand[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: Comma,
      DEF: () => {
        items.push(this.SUBRULE(this.operand, { ARGS: ['right'] }));
      },
    });
    this.CONSUME(RightBracket);
    return { kind: 'list', items, span: this.#spanFrom(first) };
  });

  #group(kind: 'and' | 'or', operands: readonly Condition[], first: IToken): Condition {
    const [only] = operands;
    if (only !== undefined && operands.length === 1) return only;
    return { kind, operands, span: this.#spanFrom(first) };
  }

  #constant(token: IToken, value: boolean): Condition {
    return { kind: 'constant', value, span: spanOf(token) };
  }

  #wordOperand(token: IToken, side: Side): Operand {
    const { image } = token;
    const operand: KeyOperand | LiteralOperand = readsAsKey(image, side)
      ? { kind: 'key', path: image, span: spanOf(token) }
      : { kind: 'literal', value: image, quoted: false, span: spanOf(token) };
    this.#remark({ kind: 'word', operand });
    return operand;
  }

  #isOperator(token: IToken): boolean {
    return operators.some((operator) => tokenMatcher(token, operator));
  }

  #remark(remark: Remark): void {
    this.ACTION(() => this.#remarks.push(remark));
  }

  #spanFrom(first: IToken): Span {
    return { start: first.startOffset, end: spanOf(this.LA(0)).end };
  }
}

const operators = [EqualityOperator, OrderOperator, In, NotWord, Contains, Matches];

function orderOperator(image: string): ComparisonOperator {
  switch (image) {
    case '<':
    case '<=':
    case '>':
      return image;
    default:
      return '>=';
  }
}

function quotedText(token: IToken): LiteralOperand {
  const value = token.image.slice(1, -1).replace(/\\(["\\])/g, '$1');
  return { kind: 'literal', value, quoted: true, span: spanOf(token) };
}
