import type { BackendDefinition, BackendEnvironment } from '../backends/backend.js';
import type { BackendChoice } from '../backends/choose-backend.js';
import { mayReachModel } from '../graph/handler-types.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { builtInBackendNames } from './extensions.js';
import { type ModelStage, modelStages } from './model-stages.js';
import { type PlannedPipeline, type PlannedRun, plannedPipelines } from './preflight/planned-pipelines.js';
import { unknownName } from './unknown-name.js';

/** Backends for the LLM stages of a run, chosen before it begins. */
export type BackendPlan =
  | { readonly kind: 'plugin'; readonly name: string }
  /** None is needed: no stage asks a model, or all of them are simulated or scripted. */
  | { readonly kind: 'none' }
  | OwnPlan;

/** Plan with backends of our own. */
export type OwnPlan =
  /** One for all stages, whatever they ask for. */
  | (PlannedStages & { readonly kind: 'one'; readonly definition: BackendDefinition })
  /** Chosen for each stage by the model that it asks for. */
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

/**
 * Chooses the backends of LLM stages (§4.5), before anything is created: the one that `--backend` or the
 * configuration names, else one of ours for each stage. A stage for which there is none is found by the
 * preflight.
 * @throws UsageError for an unknown name
 */
export async function planBackend(
  run: PlannedRun,
  pipelines: readonly PlannedPipeline[] = plannedPipelines(run),
): Promise<BackendPlan> {
  await checkBackendName(run.extensions);
  const { extensions, workingDirectory, variables, mayRunCommands = true } = run;
  const { backend: name, backends, settings } = extensions;
  if (run.simulate || !mayAskModel(pipelines)) return { kind: 'none' };
  if (name !== undefined && backends.has(name)) return { kind: 'plugin', name };
  const environment = { workingDirectory, settings, variables, mayRunCommands };
  return ownBackend(name, environment, modelStages(pipelines));
}

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
    stages.map(({ id, asked, isBudgeted: { usd, tokens } }) => [
      id,
      chooseBackend(asked, environment, builtInBackends, usd || tokens),
    ]),
  );
  return { kind: 'auto', environment, stages, choices };
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
function mayAskModel(pipelines: readonly PlannedPipeline[]): boolean {
  return pipelines.some(({ stages }) => stages.some(({ handler }) => mayReachModel(handler)));
}
