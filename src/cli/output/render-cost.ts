import type { ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable } from '../../diagnostic/printable.js';
import { amountAllowed, type BudgetLimit } from '../../graph/budget-limit.js';
import { describeAmount, describeUsd, grouped, type UsageUnit } from '../../machine/usage.js';
import type { PastUsage } from '../../view/past-usage.js';
import { assumedOutputTokens, type CostEstimate, type StageEstimate } from '../estimate-cost.js';
import { inColumns } from './usage-table.js';

/** Budgets of the whole run. */
interface Budgets {
  readonly budgetUsd: BudgetLimit;
  readonly budgetTokens: number | undefined;
}

/** An estimate for people: a table, and where its figures come from (SEMANTICS §12). */
export function renderCost(
  estimate: CostEstimate,
  past: PastUsage,
  budgets: Budgets,
  chalk: ChalkInstance,
): string {
  const { stages, cost_usd: total } = estimate;
  if (stages.length === 0 && estimate.unknown_pipelines.length === 0)
    return 'No stage of this pipeline asks a model: it costs nothing.\n';
  const rows = [
    ['', 'visits', 'input', 'output', 'cost', ''],
    ...stages.map(rowOf),
    ['one run', '', rounded(estimate.input_tokens), rounded(estimate.output_tokens), cost(total), ''],
  ];
  const [head = '', ...table] = inColumns(rows.map((row) => row.slice(0, 5)));
  const lines = [
    chalk.dim(head),
    ...table.map((line, index) => `${line}${remark(stages[index], chalk)}`),
    '',
    ...sources(estimate, past).map((line) => chalk.dim(line)),
    ...unknowns(estimate).map((line) => chalk.yellow(`! ${line}`)),
    ...budgetLines(estimate, budgets).map((line) => chalk.yellow(`! ${line}`)),
    ...past.unreadable.map((problem) => chalk.yellow(`! a past run is left out: ${printable(problem)}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function rowOf(stage: StageEstimate): readonly string[] {
  const { node_id, visits, visits_from, input_tokens, output_tokens, cost_usd } = stage;
  const times = visits_from === 'past_runs' ? trimmed(visits) : visits_from === 'loop' ? '1?' : '1';
  return [printable(node_id), times, rounded(input_tokens), rounded(output_tokens), cost(cost_usd)];
}

function cost(usd: number | null): string {
  return usd === null ? '?' : describeUsd(usd);
}

function rounded(tokens: number): string {
  return grouped(Math.round(tokens));
}

function trimmed(visits: number): string {
  return visits.toFixed(1).replace(/\.0$/, '');
}

/** Sources of a row's figures. */
function remark(stage: StageEstimate | undefined, chalk: ChalkInstance): string {
  if (stage === undefined) return '';
  const { model, provider, model_from } = stage;
  const name = model === null ? (provider === null ? 'no model' : printable(provider)) : printable(model);
  const fromPast = model_from === 'past_runs' ? ' (as before)' : '';
  const words = [
    `${name}${fromPast}`,
    visitWords[stage.visits_from],
    tokenWords[stage.input_from],
    priceWords[stage.price_from],
  ];
  return chalk.dim(`  ${words.join(' · ')}`);
}

const visitWords: Readonly<Record<StageEstimate['visits_from'], string>> = {
  past_runs: 'visits of past runs',
  assumed: 'one visit assumed',
  loop: 'in a loop: number of visits unknown',
};

const tokenWords: Readonly<Record<StageEstimate['input_from'], string>> = {
  past_runs: 'tokens of past runs',
  prompt: 'tokens of its prompt, output assumed',
};

const priceWords: Readonly<Record<StageEstimate['price_from'], string>> = {
  configuration: 'price of the configuration',
  built_in: 'price of the built-in table',
  past_runs: 'cost reported by past runs',
  unknown: 'no price known',
};

function sources(
  { stages }: CostEstimate,
  { runIds, isSamePipeline, areComplete }: PastUsage,
): readonly string[] {
  const runs = counted(runIds.length, 'past run');
  const which = isSamePipeline ? 'of this pipeline' : 'of an earlier version of this pipeline';
  const how = areComplete ? '' : '; none of them succeeded, so they may have done only part of the work';
  const isAssumed = stages.some(({ output_from }) => output_from === 'assumed');
  return [
    runIds.length === 0
      ? 'There are no past runs of this pipeline to learn from.'
      : `Figures of past runs are averages of ${runs} ${which}${how}.`,
    'Input and output are tokens of one visit; in the last line, of all visits together.',
    ...(isAssumed
      ? [
          `Without past runs, a stage is assumed to make one request with its prompt and to receive ${grouped(assumedOutputTokens)} tokens; run history and tool calls are not included.`,
        ]
      : []),
  ];
}

function unknowns(estimate: CostEstimate): readonly string[] {
  const { unknown_pipelines: pipelines } = estimate;
  if (pipelines.length === 0) return modelUnknowns(estimate);
  const which = listFirst(pipelines.map(printable));
  return [
    ...modelUnknowns(estimate),
    `the child pipelines of ${which} are not in the sum: run \`attractor cost\` on each of them, or run this pipeline once`,
  ];
}

function modelUnknowns({ stages, stages_without_cost: without }: CostEstimate): readonly string[] {
  if (without.length === 0) return [];
  const models = new Set(
    stages.flatMap(({ cost_usd, model }) => (cost_usd === null && model !== null ? [printable(model)] : [])),
  );
  const why =
    models.size === 0 ? 'no model is known for them' : `no price is known for ${listFirst([...models])}`;
  return [
    `${listFirst(without.map(printable))} ${without.length === 1 ? 'is' : 'are'} not in the sum: ${why}. Name the model, or set its price under \`prices\` in the configuration`,
  ];
}

/** Lines about budgets of the run that would not suffice. */
function budgetLines(
  { cost_usd: cost, input_tokens: input, output_tokens: output }: CostEstimate,
  { budgetUsd, budgetTokens }: Budgets,
): readonly string[] {
  const tokens = Math.round(input + output);
  return [
    ...(cost === null ? [] : budgetLine('usd', cost, amountAllowed(budgetUsd))),
    ...budgetLine('tokens', tokens, budgetTokens),
  ];
}

function budgetLine(unit: UsageUnit, amount: number, budget: number | undefined): readonly string[] {
  if (budget === undefined || amount <= budget) return [];
  const which = unit === 'usd' ? 'that is' : `${describeAmount(unit, amount)} are`;
  const allowed = describeAmount(unit, budget);
  return [`${which} more than its \`budget_${unit}\` of ${allowed}: the run would pause`];
}
