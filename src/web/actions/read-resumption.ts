import type { Resumption } from '../../server/api/run.js';

/** What is in the fields of a form; empty ones leave things as they were. */
interface ResumptionFields {
  readonly from: string;
  readonly budget: string;
  readonly steps: string;
  readonly simulate: boolean;
}

/** What the fields ask for, or what is wrong with them. */
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
