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

/** Who does the work of the LLM stages of a run, known before it begins. */
export type BackendPlan =
  | { readonly kind: 'plugin'; readonly name: string }
  /** Nobody: no stage asks a model, or all of them are simulated or scripted. */
  | { readonly kind: 'none' }
  /** One of our own for all of them, whatever they ask for. */
  | (PlannedStages & { readonly kind: 'one'; readonly definition: BackendDefinition })
  /** Ours, chosen for each by the model that it asks for. */
  | (PlannedStages & {
      readonly kind: 'auto';
      /** By the id of the stage. */
      readonly choices: ReadonlyMap<string, BackendChoice>;
    });

interface PlannedStages {
  readonly environment: BackendEnvironment;
  /** Those that are known before the run: not those of a pipeline that is written while it continues. */
  readonly stages: readonly ModelStage[];
}

/** A run for which a plan is made. */
export interface PlannedRun {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly workingDirectory: string;
  readonly variables: BackendEnvironment['variables'];
  /** Whether what the pipeline says may run commands and coding agents; it may by default. */
  readonly mayRunCommands?: boolean;
  /** Every stage is simulated. */
  readonly simulate: boolean;
  /** It answers in place of the stages that it names. */
  readonly script: SimulationScript;
  /** Whether a budget holds for it that its text does not have: that of the call, or of the run that continues. */
  readonly isBudgeted?: boolean;
  /** The directory from which the files of children are seen. */
  readonly childDirectory: string;
}

/**
 * Decides who does the work of LLM stages (§4.5), before anything is created: the backend that `--backend` or the configuration
 * names, else one of ours for each stage.
 * @throws UsageError for a name that there is not, and where nobody can do the work of a stage: none pretends to (SEMANTICS 120)
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

/** @throws UsageError that names every stage for which nothing is there, and why */
async function refuseUnready(plan: OwnPlan): Promise<void> {
  const { withDefaults } = await import('../backends/choose-backend.js');
  const byProblem = new Map<string, string[]>();
  for (const stage of plan.stages) {
    const problem = problemWith(stage, plan, withDefaults(stage.asked, plan.environment.settings));
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
  'Set what is missing, or name another model (`llm_provider` and `llm_model` in the pipeline, --provider and --model). To run without one, simulate: --simulate for all stages, `llm_provider=simulated` for some, --provider simulated for those that name no model';

/** @param model with what the settings say where the stage leaves it open */
function problemWith({ id, asked }: ModelStage, plan: OwnPlan, model: ModelChoice): string | undefined {
  if (asked.provider === simulatedProvider) return undefined;
  if (plan.kind === 'one') return plan.definition.problemWith(model, plan.environment);
  const choice = plan.choices.get(id);
  return choice?.kind === 'none' ? choice.problem : undefined;
}

/** Checks who is to do the work of LLM stages, before there is a run. @throws UsageError for a name that there is not */
export async function checkBackendName({
  backend: name,
  backends,
}: Pick<ChosenExtensions, 'backend' | 'backends'>): Promise<void> {
  if (name === undefined || backends.has(name)) return;
  const known = await builtInBackendNames();
  if (!known.includes(name)) throw unknownName('backend', name, [...known, ...backends.keys()]);
}

/** Whether a stage may ask a model, or run a pipeline that does, as those of plugins may. */
function mayAskModel({ program, script }: PlannedRun): boolean {
  return [...program.nodes.values()].some(
    ({ id, handler }) => mayReachModel(handler) && !script.nodes.has(id),
  );
}
