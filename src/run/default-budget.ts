import { graphAttribute } from '../graph/attributes.js';
import type { BudgetLimit } from '../graph/budget-limit.js';
import type { Graph } from '../graph/graph.js';
import { handlerTypeNamed } from '../graph/handler-types.js';
import type { ProgramNode } from '../graph/program.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import { childHome } from './children/child-file.js';
import type { RunCall } from './children/run-engine.js';
import type { PreparedRun } from './drive-run.js';
import { modelStages, type PlannedModels } from './model-stages.js';
import { compileWith } from './run-parts.js';
import { type RunSettings, withRecorded } from './run-settings.js';

/** Budget in US dollars of a run whose stages may cost money, unless somebody sets another (SEMANTICS 126). */
export const usualBudgetUsd = 25;

/** Budget in US dollars of a new run whose stages may cost money: of the call, the pipeline, or by default. */
export function budgetOfNewRun(
  { budgetUsd }: { readonly budgetUsd?: BudgetLimit | undefined },
  graph: Graph,
  { defaultBudgetUsd = usualBudgetUsd }: { readonly defaultBudgetUsd?: BudgetLimit | undefined },
): BudgetLimit {
  return budgetUsd ?? graphAttribute(graph, 'budget_usd') ?? defaultBudgetUsd;
}

/** Settings of a new run with its default, which a child does not have: the budget of its parent covers it. */
export function withDefaultBudget(settings: RunSettings, { budgetAbove }: RunCall): RunSettings {
  const { defaultBudgetUsd = usualBudgetUsd } = settings.recorded;
  return withRecorded(settings, {
    defaultBudgetUsd: budgetAbove === undefined ? defaultBudgetUsd : undefined,
  });
}

/**
 * Budget in US dollars with which a run begins, or continues if it could not cost money so far: that of the
 * call or the pipeline, else its default if its stages may cost money.
 */
export function startingBudget(run: PreparedRun): BudgetLimit | undefined {
  const { settings, program } = run;
  const { budgetUsd, defaultBudgetUsd: usual } = settings.recorded;
  const said = budgetUsd ?? program.limits.budgetUsd;
  if (said !== undefined || usual === undefined) return said;
  if (!mayCostMoney(run)) return undefined;
  const { budgetUsd: bound = Number.POSITIVE_INFINITY } = settings.ports.bounds ?? {};
  return usual === 'none' ? usual : Math.min(usual, bound);
}

/** True if a model, an agent or a handler of the embedding program may do the work of an LLM stage. */
function mayCostMoney(run: PreparedRun): boolean {
  const { settings, replayed } = run;
  const { recorded, ports } = settings;
  if (recorded.simulate === true || replayed !== undefined) return false;
  const { backend } = ports;
  if (backend === undefined) return hasLlmHandlers(run);
  const { stages, hasUnknownChild } = plannedModels(run);
  if (hasUnknownChild) return true;
  return stages.some(
    ({ asked }) => asked.provider !== simulatedProvider && (backend.mayCost?.(asked) ?? true),
  );
}

/** Without a backend, the handlers that a program registers may call models all the same. */
function hasLlmHandlers({ program, script, provided }: PreparedRun): boolean {
  return [...program.nodes.values()].some(
    ({ id, handler }) => handler.llm && provided.handlerTypes.has(handler.type) && !script.nodes.has(id),
  );
}

function plannedModels({ program, script, settings, workingDirectory }: PreparedRun): PlannedModels {
  const { recorded, ports } = settings;
  const home = childHome(recorded.sourcePath, workingDirectory);
  return modelStages({
    program,
    script,
    // The files that an untrusted pipeline names are not looked at before its stages may.
    directory: ports.childPolicy === undefined ? home : undefined,
    isForeign,
    compile: (text, file) => compileWith(text, ports, file).program,
  });
}

function isForeign({ handler }: ProgramNode): boolean {
  return handlerTypeNamed(handler.type) === undefined;
}
