import { graphAttribute, nodeAttribute } from './attributes.js';
import type { Graph, Node } from './graph.js';

/** Number of attempts of a stage and the pauses between them (§3.6). */
export interface RetryPolicy {
  /** At least 1, which allows no retries. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** True if a plain FAIL is retried too, not only RETRY and failures marked as retryable (SEMANTICS 24). */
  readonly retriesFailure: boolean;
}

export interface Backoff {
  readonly initialDelayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  /** Multiplies every delay by a random factor between 0.5 and 1.5. */
  readonly jitter: boolean;
}

interface Preset {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
}

const maxDelayMs = 60_000;

/** The presets of §3.6, selected by the attribute `retry_policy` (SEMANTICS 29). */
const presets = {
  none: { maxAttempts: 1, backoff: { initialDelayMs: 200, factor: 2, maxDelayMs, jitter: true } },
  standard: { maxAttempts: 5, backoff: { initialDelayMs: 200, factor: 2, maxDelayMs, jitter: true } },
  aggressive: { maxAttempts: 5, backoff: { initialDelayMs: 500, factor: 2, maxDelayMs, jitter: true } },
  linear: { maxAttempts: 3, backoff: { initialDelayMs: 500, factor: 1, maxDelayMs, jitter: true } },
  patient: { maxAttempts: 3, backoff: { initialDelayMs: 2000, factor: 3, maxDelayMs, jitter: true } },
} as const satisfies Readonly<Record<string, Preset>>;

const presetsByName = new Map<string, Preset>(Object.entries(presets));

/**
 * Policy of a node (§3.5, SEMANTICS 24, 25, 29): its `max_retries`, else its `retry_policy`, else those of
 * the graph in the same order, else a single attempt. The pauses come from the nearest `retry_policy`, else
 * from `standard`.
 * @param handlerRetriesFailure true if the node's handler type allows retries of a FAIL at all
 */
export function retryPolicyOf(graph: Graph, node: Node, handlerRetriesFailure: boolean): RetryPolicy {
  const ownRetries = nodeAttribute(node, 'max_retries');
  const ownPreset = presetsByName.get(nodeAttribute(node, 'retry_policy') ?? '');
  const graphRetries =
    graphAttribute(graph, 'default_max_retries') ?? graphAttribute(graph, 'default_max_retry');
  const graphPreset = presetsByName.get(graphAttribute(graph, 'retry_policy') ?? '');
  const retries =
    ownRetries ??
    (ownPreset && ownPreset.maxAttempts - 1) ??
    graphRetries ??
    (graphPreset && graphPreset.maxAttempts - 1) ??
    0;
  return {
    maxAttempts: retries + 1,
    backoff: (ownPreset ?? graphPreset ?? presets.standard).backoff,
    retriesFailure: handlerRetriesFailure && retriesPlainFailure(graph, ownRetries),
  };
}

function retriesPlainFailure(graph: Graph, ownRetries: number | undefined): boolean {
  switch (graphAttribute(graph, 'retry_on_fail')) {
    case 'always':
      return true;
    case 'never':
      return false;
    default:
      return (ownRetries ?? 0) > 0;
  }
}

/**
 * Pause before the attempt that follows attempt `attempt` (1-based), in milliseconds (§3.6).
 * @param random uniform in [0, 1), the source of the jitter
 */
export function delayAfterAttempt(backoff: Backoff, attempt: number, random: number): number {
  const delay = Math.min(backoff.initialDelayMs * backoff.factor ** (attempt - 1), backoff.maxDelayMs);
  return Math.round(backoff.jitter ? delay * (0.5 + random) : delay);
}
