import type { Outcome } from '../../machine/outcome.js';
import type { Redactor } from '../../secrets/redactor.js';

/** An outcome as the journal may have it (DESIGN §4): without secrets, and with its status as it was. */
export function redactedOutcome(outcome: Outcome, redactor: Redactor): Outcome {
  const clean = redactor.json(outcome);
  if (clean === outcome) return outcome;
  const { status, failure_category } = outcome;
  return { ...clean, status, failure_category };
}
