import path from 'node:path';
import type { BudgetLimit } from '../../graph/budget-limit.js';
import type { Program } from '../../graph/program.js';
import {
  compileOptionsOf,
  type ExtensionArguments,
  extensionsFor,
  isModelStage,
} from '../../setup/extensions.js';
import { runIds, runsHome } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import type { PastUsage } from '../../view/past-usage.js';
import type { BoundArguments } from '../bound/print-bound.js';
import { type CliCommand, parseCount } from '../command.js';
import type { CostEstimate } from '../estimate-cost.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { readSource } from '../read-source.js';
import { reportInvalid } from '../report-refused.js';

interface CostArguments extends ExtensionArguments, BoundArguments {
  readonly bound?: true;
}

/** `attractor cost FILE`: what a run would cost, or can cost at most, before it costs anything (SEMANTICS §12, 145). */
export const costCommand: CliCommand<CostArguments> = {
  name: 'cost',
  summary: 'Estimate what a run of a pipeline would cost, or bound what any run can cost',
  example: 'attractor cost pipeline.dot --bound',
  configure: (command) =>
    addExtensionOptions(command.argument('<file>', 'the pipeline; - reads standard input'))
      .option('--provider <name>', 'default provider of LLM stages')
      .option('--model <name>', 'default model of LLM stages')
      .option('--bound', 'print the most stages, requests, tokens and dollars that any run can have')
      .option('--max-items <n>', 'with --bound: most items of each foreach list', parseCount)
      .option('--script <file>', 'with --bound: write the script of a run with as many stages')
      .option('--json', 'print the estimate or the bound as JSON'),
  async run([file = '-'], options, io) {
    checkOptions(options);
    const { name, text } = await readSource(file, io);
    const extensions = await extensionsFor(file, options, io);
    const { compile } = await import('../../compiler/compile.js');
    const { pipelineFiles } = await import('../../run/pipeline-files.js');
    const files = pipelineFiles(file === '-' ? undefined : file, { directory: io.cwd() });
    const compilation = compile(text, { name, ...compileOptionsOf(extensions), files });
    const { source, program, diagnostics } = compilation;
    if (program === undefined) return reportInvalid(source, diagnostics, options, io);
    if (options.bound === true) {
      const { printBound } = await import('../bound/print-bound.js');
      const bounded = { file, compilation: { ...compilation, program }, extensions };
      return (await printBound(bounded, options, io)) ? exitCode.ok : exitCode.failure;
    }
    const { estimateCost } = await import('../estimate-cost.js');
    const { withDefaultModel } = await import('../../backends/choose-backend.js');
    const { loadTokenCounter } = await import('../../handlers/count-tokens.js');
    const { modelChoice } = await import('../../graph/model-choice.js');
    const { nodeAttribute } = await import('../../graph/attributes.js');
    const { settings } = extensions;
    const past = await readPast(program, io);
    const estimate = estimateCost({
      program,
      past,
      prices: settings.prices,
      countTokens: await loadTokenCounter(),
      modelOf: ({ node }) => withDefaultModel(modelChoice(program.graph, node), settings),
      asksModel: (node) =>
        isModelStage(node, extensions) ||
        (node.handler.type === 'parallel.fan_in' && nodeAttribute(node.node, 'prompt') !== ''),
    });
    const { usualBudgetUsd } = await import('../../run/default-budget.js');
    const { budgetUsd = extensions.defaultBudgetUsd ?? usualBudgetUsd, budgetTokens } = program.limits;
    await print({ program, estimate, past, budgetUsd, budgetTokens }, options, io);
    return exitCode.ok;
  },
};

function checkOptions({ bound, maxItems, script }: CostArguments): void {
  if (bound === true || (maxItems === undefined && script === undefined)) return;
  throw new UsageError(`${maxItems === undefined ? '--script' : '--max-items'} is only for --bound`);
}

async function readPast(program: Program, io: Io): Promise<PastUsage> {
  const { pastUsage } = await import('../../view/past-usage.js');
  const { graphHash } = await import('../../journal/graph-hash.js');
  const home = runsHome(io.cwd());
  const directories = runIds(io.cwd()).map((id) => path.join(home, id));
  return pastUsage(directories, { name: program.graph.name, graphHash: graphHash(program.graph) });
}

interface Printed {
  readonly program: Program;
  readonly estimate: CostEstimate;
  readonly past: PastUsage;
  /** Budgets that hold for a run: those of the pipeline, else the default. */
  readonly budgetUsd: BudgetLimit;
  readonly budgetTokens: number | undefined;
}

async function print(
  { program: { graph }, estimate, past, budgetUsd, budgetTokens }: Printed,
  { json }: CostArguments,
  io: Io,
): Promise<void> {
  if (json) {
    const { runIds: runs, isSamePipeline, areComplete, unreadable } = past;
    const pastRuns = { run_ids: runs, same_pipeline: isSamePipeline, complete: areComplete, unreadable };
    const budgets = { budget_usd: budgetUsd, budget_tokens: budgetTokens ?? null };
    const printed = { name: graph.name, ...estimate, past_runs: pastRuns, ...budgets };
    io.stdout.write(`${terminalJson(printed, 2)}\n`);
    return;
  }
  const { Chalk } = await import('chalk');
  const { renderCost } = await import('../output/render-cost.js');
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  io.stdout.write(renderCost(estimate, past, { budgetUsd, budgetTokens }, chalk));
}
