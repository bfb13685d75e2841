import type { BackendDefinition, BackendEnvironment } from '../backends/backend.js';
import type { BackendChoice } from '../backends/choose-backend.js';
import { counted } from '../diagnostic/counted.js';
import { mayReachModel } from '../graph/handler-types.js';
import type { ModelChoice } from '../graph/model-choice.js';
import type { Program } from '../graph/program.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { builtInBackendNames } from './extensions.js';
import { type ModelStage, modelStages } from './model-stages.js';
import { unknownName } from './unknown-name.js';
import { UsageError } from './usage-error.js';

/** Backends for the LLM stages of a run, chosen before it begins. */
export type BackendPlan =
  | { readonly kind: 'plugin'; readonly name: string }
  /** None is needed: no stage asks a model, or all of them are simulated or scripted. */
  | { readonly kind: 'none' }
  /** One of our own for all stages, whatever they ask for. */
  | (PlannedStages & { readonly kind: 'one'; readonly definition: BackendDefinition })
  /** Our own, chosen for each stage by the model that it asks for. */
  | (PlannedStages & {
      readonly kind: 'auto';
      /** Choices by the id of the stage. */
      readonly choices: ReadonlyMap<string, BackendChoice>;
    });

interface PlannedStages {
  readonly environment: BackendEnvironment;
  /** Stages known before the run: not those of a pipeline that a stage writes later. */
  readonly stages: readonly ModelStage[];
}

/** Run for which a plan is made. */
export interface PlannedRun {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly workingDirectory: string;
  readonly variables: BackendEnvironment['variables'];
  /** False if the pipeline may run neither commands nor coding agents; default true. */
  readonly mayRunCommands?: boolean;
  /** True if every stage is simulated. */
  readonly simulate: boolean;
  /** Script that answers instead of the stages that it names. */
  readonly script: SimulationScript;
  /** True if it has a budget that its text does not have: that of the call, or of the resumed run. */
  readonly isBudgeted?: boolean;
  /** Directory to which the files of children are relative. */
  readonly childDirectory: string;
}

/**
 * Chooses the backends of LLM stages (§4.5), before anything is created: the one that `--backend` or the
 * configuration names, else one of ours for each stage.
 * @throws UsageError for an unknown name, and if no backend can do the work of a stage, which is never
 * simulated instead (SEMANTICS 120)
 */
export async function planBackend(run: PlannedRun): Promise<BackendPlan> {
  await checkBackendName(run.extensions);
  const { extensions, workingDirectory, variables, mayRunCommands = true, isBudgeted = false } = run;
  const { backend: name, backends, settings } = extensions;
  if (run.simulate || !mayAskModel(run)) return { kind: 'none' };
  if (name !== undefined && backends.has(name)) return { kind: 'plugin', name };
  const environment = { workingDirectory, settings, variables, mayRunCommands };
  const stages = modelStages({
    ...run,
    isBudgeted,
    directory: mayRunCommands ? run.childDirectory : undefined,
  });
  const plan = await ownBackend(name, environment, stages);
  await refuseUnready(plan);
  return plan;
}

type OwnPlan = Extract<BackendPlan, { readonly kind: 'one' | 'auto' }>;

async function ownBackend(
  name: string | undefined,
  environment: BackendEnvironment,
  stages: readonly ModelStage[],
): Promise<OwnPlan> {
  const { builtInBackends } = await import('../backends/index.js');
  const definition = builtInBackends.find((one) => one.name === name);
  if (definition !== undefined) return { kind: 'one', definition, environment, stages };
  const { chooseBackend } = await import('../backends/choose-backend.js');
  const choices = new Map(
    stages.map(({ id, asked, isBudgeted }) => [
      id,
      chooseBackend(asked, environment, builtInBackends, isBudgeted),
    ]),
  );
  return { kind: 'auto', environment, stages, choices };
}

/** @throws UsageError that names every stage without a usable backend, and the reason */
async function refuseUnready(plan: OwnPlan): Promise<void> {
  const { withDefaultModel } = await import('../backends/choose-backend.js');
  const byProblem = new Map<string, string[]>();
  for (const stage of plan.stages) {
    const problem = problemWith(stage, plan, withDefaultModel(stage.asked, plan.environment.settings));
    if (problem !== undefined) byProblem.set(problem, [...(byProblem.get(problem) ?? []), stage.id]);
  }
  if (byProblem.size === 0) return;
  const found = [...byProblem].map(([problem, ids]) => `  ${ids.join(', ')}: ${problem}`);
  const count = [...byProblem.values()].flat().length;
  throw new UsageError(
    `${counted(count, 'stage')} cannot ask a model, and nothing was started:\n${found.join('\n')}\n${advice}`,
  );
}

const advice =
  'Set the missing keys, or name another model (`llm_provider` and `llm_model` in the pipeline, --provider and --model). To run without one, simulate: --simulate for all stages, `llm_provider=simulated` for some, --provider simulated for those without a model';

/** @param model the stage's own, completed by the settings */
function problemWith({ id, asked }: ModelStage, plan: OwnPlan, model: ModelChoice): string | undefined {
  if (asked.provider === simulatedProvider) return undefined;
  if (plan.kind === 'one') return plan.definition.problemWith(model, plan.environment);
  const choice = plan.choices.get(id);
  return choice?.kind === 'none' ? choice.problem : undefined;
}

/**
 * Checks the choice of a backend before there is a run.
 * @throws UsageError for an unknown name
 */
export async function checkBackendName({
  backend: name,
  backends,
}: Pick<ChosenExtensions, 'backend' | 'backends'>): Promise<void> {
  if (name === undefined || backends.has(name)) return;
  const known = await builtInBackendNames();
  if (!known.includes(name)) throw unknownName('backend', name, [...known, ...backends.keys()]);
}

/** True if a stage may ask a model, or run a pipeline that does, as those of plugins may. */
function mayAskModel({ program, script }: PlannedRun): boolean {
  return [...program.nodes.values()].some(
    ({ id, handler }) => mayReachModel(handler) && !script.nodes.has(id),
  );
}
