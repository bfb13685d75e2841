import type { JsonValue } from '../json.js';
import type { StageStatus } from '../stage-status.js';

/** What properties speak about: the steps of a run that anybody can see (docs/properties.md). */
export type Observation =
  /** A visit of a stage begins; its further attempts do not count. */
  | { readonly kind: 'started'; readonly nodeId: string }
  /** A visit ends with its final outcome; one that is stopped with its branch does not. */
  | { readonly kind: 'ended'; readonly nodeId: string; readonly outcome: SeenOutcome }
  /** The run ends well. */
  | { readonly kind: 'completes' };

/** Parts of an outcome that a property can name. */
export interface SeenOutcome {
  readonly status: StageStatus;
  readonly custom_outcome?: string | undefined;
  readonly preferred_label?: string | undefined;
  readonly suggested_next_ids?: readonly string[] | undefined;
  readonly context_updates?: Readonly<Record<string, JsonValue>> | undefined;
}
