import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';

/** A condition of an edge (§10, and the superset of SEMANTICS §12). Spans count from the start of the condition's own text. */
export type Condition =
  | OrCondition
  | AndCondition
  | NotCondition
  | ConstantCondition
  | ExistsCondition
  | TruthyCondition
  | Comparison;

export interface OrCondition {
  readonly kind: 'or';
  readonly operands: readonly Condition[];
  readonly span: Span;
}

export interface AndCondition {
  readonly kind: 'and';
  readonly operands: readonly Condition[];
  readonly span: Span;
}

export interface NotCondition {
  readonly kind: 'not';
  readonly operand: Condition;
  readonly span: Span;
}

/** `true` or `false` */
export interface ConstantCondition {
  readonly kind: 'constant';
  readonly value: boolean;
  readonly span: Span;
}

/** `exists key` */
export interface ExistsCondition {
  readonly kind: 'exists';
  readonly key: KeyOperand;
  readonly span: Span;
}

/** A bare operand: true unless it is empty, `false` or `0` (SEMANTICS 44b). */
export interface TruthyCondition {
  readonly kind: 'truthy';
  readonly operand: Operand;
  readonly span: Span;
}

/** `=` and `!=` compare as strings; the others by type (SEMANTICS §12). `==` is read as `=`. */
export type ComparisonOperator =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | 'contains'
  | 'matches';

export interface Comparison {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: Operand;
  readonly right: Operand;
  readonly span: Span;
}

export type Operand = KeyOperand | LiteralOperand | ListOperand;

/** A key to look up: `outcome`, `preferred_label`, `context.a.b`, `tool.output`, `human.gate.selected`. */
export interface KeyOperand {
  readonly kind: 'key';
  readonly path: string;
  readonly span: Span;
}

/** A quoted or bare word, or a number as written. */
export interface LiteralOperand {
  readonly kind: 'literal';
  readonly value: string;
  readonly quoted: boolean;
  readonly span: Span;
}

export interface ListOperand {
  readonly kind: 'list';
  readonly items: readonly Operand[];
  readonly span: Span;
}

export interface ConditionParseResult {
  /** Missing if the text is blank (an unconditional edge) or has an error. */
  readonly condition?: Condition;
  /**
   * Rule `condition_syntax` (errors) or `condition_double_equals` (warning); spans are relative to the
   * condition's own text.
   */
  readonly diagnostics: readonly Diagnostic[];
}
