import type { Program, ProgramNode } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import type { ReplaySource } from './replay-source.js';

/**
 * True if a run was resumed after it had used up its budget (SEMANTICS §12). A replay is not resumed there,
 * so the original budgets must not stop it.
 */
export function hasLiftedBudgets(events: readonly RunEvent[]): boolean {
  let isExceeded = false;
  for (const event of events) {
    if (event.type === 'BudgetExceeded') isExceeded = true;
    if (event.type !== 'PipelineResumed') continue;
    const { budget_usd: usd, budget_tokens: tokens, stage_budgets: ofStages } = event;
    if (isExceeded || [usd, tokens, ofStages].some((given) => given !== undefined)) return true;
  }
  return false;
}

/** Pipeline as it is played back: without budgets that were lifted. */
export function asPlayedBack(program: Program, source: ReplaySource | undefined): Program {
  if (source === undefined || !hasLiftedBudgets(source.recorded.events)) return program;
  const nodes = [...program.nodes].map(([id, node]): [string, ProgramNode] => [
    id,
    { ...node, ...noBudgets },
  ]);
  return { ...program, limits: { ...program.limits, ...noBudgets }, nodes: new Map(nodes) };
}

const noBudgets = { budgetUsd: undefined, budgetTokens: undefined };
