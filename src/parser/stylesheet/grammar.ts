import { EmbeddedActionsParser, type IToken, type ParserMethod, tokenMatcher } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import type { Declaration, Selector, StyleRule, Stylesheet } from './ast.js';
import {
  Assign,
  BareValue,
  ClassName,
  LeftBrace,
  NodeId,
  QuotedValue,
  RightBrace,
  Semicolon,
  spanOf,
  stylesheetTokens,
  Universal,
  Word,
} from './tokens.js';

type Rule<Result> = ParserMethod<[], Result>;

/** Construct to be judged once the tree is complete, in the order of the text. */
export type Remark =
  | { readonly kind: 'selector'; readonly selector: Selector }
  | { readonly kind: 'alias'; readonly written: string; readonly declaration: Declaration }
  | { readonly kind: 'equals'; readonly span: Span };

/** Other spellings of properties (§11.10, SEMANTICS 45). */
const propertyAliases = new Map([
  ['model', 'llm_model'],
  ['provider', 'llm_provider'],
]);

/** The grammar of stylesheets: §8.2 with the shape selectors of §11.10. */
export class StylesheetParser extends EmbeddedActionsParser {
  #remarks: Remark[] = [];

  constructor(options: GrammarOptions) {
    super([...stylesheetTokens], parserConfig(options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, stylesheetTokens, options.decisions);
  }

  parse(tokens: IToken[]): { readonly stylesheet: Stylesheet; readonly remarks: readonly Remark[] } {
    this.#remarks = [];
    this.input = tokens;
    return { stylesheet: this.stylesheet(), remarks: this.#remarks };
  }

  /** Stylesheet ::= Rule* */
  readonly stylesheet: Rule<Stylesheet> = this.RULE('stylesheet', () => {
    const rules: StyleRule[] = [];
    this.MANY(() => {
      rules.push(this.SUBRULE(this.rule));
    });
    return { rules };
  });

  /** Rule ::= Selector '{' Declaration ( ';' Declaration )* ';'? '}' */
  readonly rule: Rule<StyleRule> = this.RULE('rule', () => {
    const selector = this.SUBRULE(this.selector);
    this.CONSUME(LeftBrace);
    const declarations = [this.SUBRULE(this.declaration)];
    this.MANY({
      GATE: () => !tokenMatcher(this.LA(2), RightBrace),
      DEF: () => {
        this.CONSUME(Semicolon);
        declarations.push(this.SUBRULE2(this.declaration));
      },
    });
    this.OPTION(() => this.CONSUME2(Semicolon));
    const { end } = spanOf(this.CONSUME(RightBrace));
    return { selector, declarations, span: { start: this.ACTION(() => selector.span.start), end } };
  });

  /** Selector ::= '*' | ShapeName | ClassName | NodeId */
  readonly selector: Rule<Selector> = this.RULE('selector', () => {
    const selector = this.OR<Selector>([
      { ALT: () => selectorOf('universal', this.CONSUME(Universal), 1) },
      { ALT: () => selectorOf('shape', this.CONSUME(Word), 0) },
      { ALT: () => selectorOf('class', this.CONSUME(ClassName), 1) },
      { ALT: () => selectorOf('id', this.CONSUME(NodeId), 1) },
    ]);
    this.ACTION(() => this.#remarks.push({ kind: 'selector', selector }));
    return selector;
  });

  /** Declaration ::= Property ( ':' | '=' ) ( String | BareValue ) */
  readonly declaration: Rule<Declaration> = this.RULE('declaration', (): Declaration => {
    const property = this.CONSUME(Word);
    const sign = this.CONSUME(Assign);
    const value = this.OR<IToken>([
      { ALT: () => this.CONSUME(QuotedValue) },
      { ALT: () => this.CONSUME(BareValue) },
    ]);
    return this.ACTION(() => {
      const declaration: Declaration = {
        property: propertyAliases.get(property.image) ?? property.image,
        value: tokenMatcher(value, QuotedValue) ? unquote(value.image) : value.image,
        propertySpan: spanOf(property),
        valueSpan: spanOf(value),
      };
      if (sign.image === '=') this.#remarks.push({ kind: 'equals', span: spanOf(sign) });
      if (declaration.property !== property.image) {
        this.#remarks.push({ kind: 'alias', written: property.image, declaration });
      }
      return declaration;
    });
  });
}

function selectorOf(kind: Selector['kind'], token: IToken, signLength: number): Selector {
  return { kind, name: token.image.slice(signLength), span: spanOf(token) };
}

function unquote(image: string): string {
  const text = image.slice(1, -1);
  return image.startsWith('"') ? text.replace(/\\(["\\])/g, '$1') : text;
}
