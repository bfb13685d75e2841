import type { Resumption } from '../../server/api/run.js';

/** Fields of a form; empty ones change nothing. */
interface ResumptionFields {
  readonly from: string;
  readonly budget: string;
  readonly steps: string;
  readonly simulate: boolean;
}

/** Request from the fields, or a message about a wrong one. */
export function readResumption({
  from,
  budget,
  steps,
  simulate,
}: ResumptionFields): { readonly resumption: Resumption } | { readonly problem: string } {
  const dollars = budget.trim().replace(/^\$/, '');
  const most = steps.trim();
  if (dollars !== '' && !/^\d+(?:\.\d+)?$|^\.\d+$/.test(dollars))
    return { problem: `The budget must be an amount such as 2.50; found “${budget.trim()}”.` };
  if (most !== '' && !/^[1-9]\d{0,8}$/.test(most))
    return { problem: `The number of steps must be a whole number from 1 on; found “${most}”.` };
  return {
    resumption: {
      from: from || undefined,
      budget_usd: dollars === '' ? undefined : Number(dollars),
      max_steps: most === '' ? undefined : Number(most),
      simulate: simulate || undefined,
    },
  };
}
