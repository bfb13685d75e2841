import type { BudgetLimit, StageBudget, StageBudgets } from './budget-limit.js';

/** Amount of a budget as people write it, or `none`; undefined for anything else (SEMANTICS 126). */
export function readBudget(text: string): BudgetLimit | undefined {
  if (text === 'none') return text;
  const amount = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(amount) ? amount : undefined;
}

/** Form of a budget of a stage, for messages. */
export const stageBudgetForm =
  'node=amount: US dollars such as plan=2.50, tokens such as plan=80000tokens, or plan=none';

/**
 * Adds `node=2.50`, `node=none` or `node=80000tokens` to budgets of stages, each unit of a node for itself.
 * @returns undefined for anything else
 */
export function addStageBudget(text: string, before: StageBudgets): StageBudgets | undefined {
  const split = text.lastIndexOf('=');
  const node = text.slice(0, Math.max(0, split)).trim();
  const amount = text.slice(split + 1).trim();
  const tokens = /^([0-9]+) ?tokens$/.exec(amount)?.[1];
  const usd = tokens === undefined ? readBudget(amount) : undefined;
  if (node === '' || (usd === undefined && !Number.isSafeInteger(Number(tokens ?? Number.NaN))))
    return undefined;
  const all = new Map(Object.entries(before));
  const given: StageBudget = tokens === undefined ? { usd } : { tokens: Number(tokens) };
  return Object.fromEntries(all.set(node, { ...all.get(node), ...given }));
}
