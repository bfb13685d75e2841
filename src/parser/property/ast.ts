import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';

/** A sentence about the runs of a pipeline, such as `publish only after approve = yes` (docs/properties.md). */
export type Property =
  /** At most so many events: in the whole run, after some events, or before some. */
  | {
      readonly kind: 'bound';
      /** 0 for `never`. */
      readonly limit: number;
      readonly counted: Events;
      readonly after: Events | undefined;
      readonly before: Events | undefined;
    }
  /** Events, or the completion of the run, only once others have happened. */
  | {
      readonly kind: 'precedence';
      readonly events: Events | 'completion';
      readonly required: Events;
      /** Events after which they must happen again. */
      readonly since: Events | undefined;
    }
  /** After some events others must follow, before others or before the run completes. */
  | {
      readonly kind: 'response';
      readonly trigger: Events;
      readonly required: Events;
      readonly before: Events | 'completion';
    };

/** Any one of these events. */
export type Events = readonly StageEvent[];

export interface StageEvent {
  readonly stages: Stages;
  /** How the stages end; undefined if that does not matter. */
  readonly result: Result | undefined;
  readonly span: Span;
}

export type Stages =
  | { readonly kind: 'named'; readonly name: Name }
  /** `LLM stages of class slow`: undefined where the text does not restrict them. */
  | { readonly kind: 'all'; readonly sort: Name | undefined; readonly ofClass: Name | undefined };

export type Result =
  | { readonly kind: 'passed' | 'failed' }
  /** The answer to a gate, the label that a stage prefers, or its status. */
  | { readonly kind: 'word'; readonly word: Name };

/** A word of the text; its span counts from the start of the text. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

export interface PropertyParseResult {
  /** Missing where the text has an error. */
  readonly property?: Property;
  /** Rule `property_syntax`; spans within the text of the property. */
  readonly diagnostics: readonly Diagnostic[];
}
