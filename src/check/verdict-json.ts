import type { PropertyOrigin } from '../graph/properties/monitor.js';
import type { PropertyVerdict } from './check-properties.js';
import type { PathScript } from './script-of.js';

/** A verdict as `check --format json` prints it, and as a server sends it. */
export interface VerdictJson {
  readonly name: string;
  /** Sentence of the property. */
  readonly property: string;
  readonly origin: PropertyOrigin;
  readonly verdict: PropertyVerdict['kind'];
  readonly states: number;
  /** Of `undecided`. */
  readonly reasons?: readonly string[] | undefined;
  /** Counterexample of `broken`: what the run says at its end, the visits until then, and a script that plays it. */
  readonly reason?: string | undefined;
  readonly path?: readonly string[] | undefined;
  readonly script?: PathScript | undefined;
  /** Reason with which the script ends before, because the run breaks another property first. */
  readonly ends_before?: string | undefined;
}

export function verdictToJson(verdict: PropertyVerdict): VerdictJson {
  const { monitor, kind, states } = verdict;
  const { name, text, origin } = monitor;
  const common = { name, property: text, origin, verdict: kind, states };
  switch (verdict.kind) {
    case 'holds':
      return common;
    case 'undecided':
      return { ...common, reasons: verdict.reasons };
    case 'broken': {
      const { reason, path, script, endsBefore } = verdict.counterexample;
      return { ...common, reason, path, script, ends_before: endsBefore };
    }
  }
}
