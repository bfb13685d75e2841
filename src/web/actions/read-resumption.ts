import type { Inputs } from '../../graph/values/declared-inputs.js';
import type { Resumption } from '../../server/api/run.js';
import { type BudgetTexts, readBudgets } from './read-budgets.js';

/** Fields of a form; empty ones change nothing. */
interface ResumptionFields extends BudgetTexts {
  readonly from: string;
  readonly steps: string;
  readonly simulate: boolean;
  /** Inputs that are changed, or what is wrong with them. */
  readonly inputs: Inputs | string;
}

/** Request from the fields, or a message about a wrong one. */
export function readResumption({
  from,
  budget,
  stageBudgets,
  steps,
  simulate,
  inputs,
}: ResumptionFields): { readonly resumption: Resumption } | { readonly problem: string } {
  const budgets = readBudgets({ budget, stageBudgets });
  const most = steps.trim();
  if (typeof budgets === 'string') return { problem: budgets };
  if (most !== '' && !/^[1-9]\d{0,8}$/.test(most))
    return { problem: `The number of steps must be a whole number from 1 on; found “${most}”.` };
  if (typeof inputs === 'string') return { problem: inputs };
  return {
    resumption: {
      inputs: Object.keys(inputs).length > 0 ? (inputs as NonNullable<Resumption['inputs']>) : undefined,
      from: from || undefined,
      ...budgets,
      max_steps: most === '' ? undefined : Number(most),
      simulate: simulate || undefined,
    },
  };
}
