import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';

/** Model stylesheet (§8.2). Spans are relative to the stylesheet's own text. */
export interface Stylesheet {
  readonly rules: readonly StyleRule[];
}

export interface StyleRule {
  readonly selector: Selector;
  readonly declarations: readonly Declaration[];
  readonly span: Span;
}

/** `*`, `box`, `.class`, `#id`; `name` is empty for `*`. */
export interface Selector {
  readonly kind: 'universal' | 'shape' | 'class' | 'id';
  readonly name: string;
  readonly span: Span;
}

export interface Declaration {
  /** Attribute name: `model` is read as `llm_model`, `provider` as `llm_provider` (SEMANTICS 45). */
  readonly property: string;
  readonly value: string;
  readonly propertySpan: Span;
  readonly valueSpan: Span;
}

export interface StylesheetParseResult {
  /** Missing if the text has an error. */
  readonly stylesheet?: Stylesheet;
  /** Rule `stylesheet_syntax`; spans are relative to the stylesheet's own text. */
  readonly diagnostics: readonly Diagnostic[];
}
