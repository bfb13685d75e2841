import type { JsonValue } from '../../graph/json.js';
import { type Outcome, valuesSetBy } from '../../machine/outcome.js';
import { endsOf, tailOf } from '../../view/cut-text.js';

/** Maximum in UTF-16 units; more than any preamble shows. */
const longest = 2000;

/**
 * Outcome without its large parts: a history keeps hundreds of them, and an output may have 64 KiB. All
 * written keys remain; their values are in the context.
 */
export function shortOutcome(outcome: Outcome): Outcome {
  const { notes = '', failure_reason: reason = '', context_updates: updates, assigned } = outcome;
  const isShort =
    notes.length <= longest &&
    reason.length <= longest &&
    Object.values(valuesSetBy(outcome) ?? {}).every(isSmall);
  if (isShort) return outcome;
  return {
    ...outcome,
    notes: outcome.notes && copied(endsOf(outcome.notes, longest)),
    failure_reason: outcome.failure_reason && copied(endsOf(outcome.failure_reason, longest)),
    context_updates: updates && shortValues(updates),
    assigned: assigned && shortValues(assigned),
  };
}

function shortValues(values: Readonly<Record<string, JsonValue>>): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, shortValue(value)]));
}

function shortValue(value: JsonValue): JsonValue {
  if (isSmall(value)) return value;
  return typeof value === 'string' ? copied(tailOf(value, longest)) : null;
}

function isSmall(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= longest;
  return typeof value !== 'object' || value === null;
}

/** Copy of a slice, which would keep the whole text alive. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
