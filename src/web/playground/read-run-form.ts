import type { Submission } from '../../server/api/run.js';
import { readAssignments } from '../simulator/read-assignments.js';

/** What somebody filled in about a run to come. */
export interface RunForm {
  readonly simulate: boolean;
  readonly autoApprove: boolean;
  readonly inputs: string;
  readonly budgetUsd: string;
  readonly maxSteps: string;
  readonly backend: string;
}

export const emptyRunForm: RunForm = {
  simulate: false,
  autoApprove: false,
  inputs: '',
  budgetUsd: '',
  maxSteps: '',
  backend: '',
};

export type ReadRunForm =
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'problem'; readonly message: string };

/** What is sent to the server (§9.5), or what is wrong with what was filled in. */
export function readRunForm(form: RunForm, dot: string): ReadRunForm {
  const inputs = readAssignments(form.inputs);
  if (typeof inputs === 'string') return problem(`Inputs: ${inputs}.`);
  const budget = numberIn(form.budgetUsd);
  if (budget !== undefined && !(budget >= 0))
    return problem(`The budget is "${form.budgetUsd}"; expected a number of dollars, such as 2.50.`);
  const steps = numberIn(form.maxSteps);
  if (steps !== undefined && !(Number.isSafeInteger(steps) && steps > 0))
    return problem(`The number of stages is "${form.maxSteps}"; expected a whole number of at least 1.`);
  return {
    kind: 'submission',
    submission: {
      dot,
      simulate: form.simulate || undefined,
      auto_approve: form.autoApprove || undefined,
      inputs: inputs.size > 0 ? (Object.fromEntries(inputs) as NonNullable<Submission['inputs']>) : undefined,
      budget_usd: budget,
      max_steps: steps,
      backend: form.backend || undefined,
    },
  };
}

/** NaN where it is not a number. */
function numberIn(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.trim().replace(',', '.'));
}

function problem(message: string): ReadRunForm {
  return { kind: 'problem', message };
}
