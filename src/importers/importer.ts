import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';

/** Language of pipelines that can be turned into this one. */
export interface Importer {
  /** Word for `--from`. */
  readonly name: string;
  /** Name in sentences: "a fabro pipeline". */
  readonly title: string;
  /** Format of its files; DOT is edited in place, anything else becomes a new file. */
  readonly format: 'dot' | 'yaml' | 'json';
  /** Strength of the signs that a text is in this language; 0 if there are none. Never throws. */
  recognize(text: string): number;
  /** Never throws on a text. */
  migrate(text: string): ImportResult;
}

export type ImportResult = Migration | UnreadableSource;

export interface Migration {
  readonly kind: 'migrated';
  /** DOT of this language. */
  readonly text: string;
  /** In the order of the source. */
  readonly notes: readonly MigrationNote[];
}

/** Source that its own tool would not read either, or that is not a pipeline. */
export interface UnreadableSource {
  readonly kind: 'unreadable';
  /** Errors, with positions in the source. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface MigrationNote {
  /**
   * `rewritten`: the same in the words of this language. `changed`: something behaves differently. `lost`: nothing here
   * says it. The text has a comment for each of the last two.
   */
  readonly kind: 'rewritten' | 'changed' | 'lost';
  /** Position in the source. */
  readonly span: Span;
  readonly message: string;
}

/** Word that begins each comment of a migration, so that they can be found. */
export const commentMark = 'migrated:';
