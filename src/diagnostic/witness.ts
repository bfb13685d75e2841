/** Result of one attempt, in the words of a simulation script. */
export interface WitnessEntry {
  readonly outcome: string;
  readonly preferred_label?: string | undefined;
  readonly suggested_next_ids?: readonly string[] | undefined;
  readonly context_updates?: Readonly<Record<string, unknown>> | undefined;
  readonly failure_reason?: string | undefined;
  readonly retryable?: false | undefined;
}

/**
 * Run that shows what a finding says: a script for `attractor run --simulate --script`, with the attempts of each
 * stage in their order, of which the last one repeats.
 */
export interface Witness {
  /** Inputs that the run is given, besides their defaults. */
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly nodes: Readonly<Record<string, readonly WitnessEntry[]>>;
}
