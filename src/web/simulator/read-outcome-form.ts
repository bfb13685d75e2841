import type { StageStatus } from '../../machine/outcome.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';
import { readAssignments } from './read-assignments.js';

/** Fields of the form for a stage that is ready. */
export interface OutcomeForm {
  readonly status: StageStatus;
  readonly preferredLabel: string;
  /** `key=value`, one a line. */
  readonly updates: string;
  readonly failureReason: string;
  readonly response: string;
}

export const emptyForm: OutcomeForm = {
  status: 'success',
  preferredLabel: '',
  updates: '',
  failureReason: '',
  response: '',
};

export type ReadForm =
  | { readonly kind: 'entry'; readonly entry: ScriptEntry }
  /** Problem with the updates. */
  | { readonly kind: 'problem'; readonly message: string };

/** The entry of a simulation script that a form amounts to. */
export function readOutcomeForm(form: OutcomeForm): ReadForm {
  const updates = readAssignments(form.updates);
  if (typeof updates === 'string') return { kind: 'problem', message: `Context updates: ${updates}` };
  const { status, preferredLabel, failureReason, response } = form;
  const mayFail = status === 'fail' || status === 'retry';
  return {
    kind: 'entry',
    entry: {
      outcome: status,
      preferred_label: preferredLabel || undefined,
      context_updates: updates.size > 0 ? Object.fromEntries(updates) : undefined,
      failure_reason: (mayFail && failureReason.trim()) || undefined,
      response: response || undefined,
    },
  };
}
