import type { BackendDefinition, BackendEnvironment } from '../backends/backend.js';
import type { BackendChoice } from '../backends/choose-backend.js';
import { mayReachModel } from '../graph/handler-types.js';
import { modelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { autoBackendName, builtInBackendNames, isModelStage, simulateBackend } from './extensions.js';
import { unknownName } from './unknown-name.js';

/** Who does the work of the LLM stages of a run, known before it begins. */
export type BackendPlan =
  | { readonly kind: 'plugin'; readonly name: string }
  /** Nobody: all of them are simulated; by node id what ours lack, where they were looked at. */
  | { readonly kind: 'none'; readonly choices: ReadonlyMap<string, BackendChoice> }
  /** One of our own for all of them, whatever they ask for. */
  | { readonly kind: 'one'; readonly definition: BackendDefinition; readonly environment: BackendEnvironment }
  /** Ours, chosen for each by the model that it asks for. */
  | {
      readonly kind: 'auto';
      readonly environment: BackendEnvironment;
      /** By node id; stages of pipelines that stages run are decided when they are there. */
      readonly choices: ReadonlyMap<string, BackendChoice>;
      /** What becomes of stages for which there is none: they fail where a backend or a model was asked for by name. */
      readonly withoutBackend: 'fail' | 'simulate';
    };

/** What the plan is made for. */
export interface PlannedRun {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly workingDirectory: string;
  readonly variables: BackendEnvironment['variables'];
  /** Whether what the pipeline says may run commands and coding agents; it may by default. */
  readonly mayRunCommands?: boolean;
  readonly isPretended: (node: ProgramNode) => boolean;
}

/**
 * Who does the work of LLM stages (§4.5): whoever `--backend` or the configuration names; else ours, where there is one for at
 * least one stage; else nobody.
 * @throws UsageError for a name that there is not
 */
export async function planBackend(run: PlannedRun): Promise<BackendPlan> {
  await checkBackendName(run.extensions);
  const { backend: name, backends, settings } = run.extensions;
  if (name === simulateBackend || !mayAskModel(run)) return nobody;
  if (name !== undefined && backends.has(name)) return { kind: 'plugin', name };
  const { workingDirectory, variables, mayRunCommands = true } = run;
  const environment = { workingDirectory, settings, variables, mayRunCommands };
  if (name === undefined || name === autoBackendName) {
    // Whoever names a model, or an agent, for all stages does not want a simulation.
    const isAskedFor = [name, settings.provider, settings.model].some((one) => one !== undefined);
    return automatic(run, environment, isAskedFor);
  }
  const { builtInBackends } = await import('../backends/index.js');
  const definition = builtInBackends.find((one) => one.name === name);
  return definition === undefined ? nobody : { kind: 'one', definition, environment };
}

const nobody: BackendPlan = { kind: 'none', choices: new Map() };

/** Checks who is to do the work of LLM stages, before there is a run. @throws UsageError for a name that there is not */
export async function checkBackendName({
  backend: name,
  backends,
}: Pick<ChosenExtensions, 'backend' | 'backends'>): Promise<void> {
  if (name === undefined || backends.has(name)) return;
  const known = await builtInBackendNames();
  if (!known.includes(name)) throw unknownName('backend', name, [...known, ...backends.keys()]);
}

async function automatic(
  { program, extensions, isPretended }: PlannedRun,
  environment: BackendEnvironment,
  isAskedFor: boolean,
): Promise<BackendPlan> {
  const { chooseBackend } = await import('../backends/choose-backend.js');
  const stages = [...program.nodes.values()].filter((node) => !isPretended(node));
  const choices = new Map(
    stages
      .filter((node) => isModelStage(node, extensions))
      .map(({ id, node }) => [id, chooseBackend(modelChoice(program.graph, node), environment)]),
  );
  const isNeeded =
    isAskedFor ||
    [...choices.values()].some(({ kind }) => kind === 'backend') ||
    (stages.some(({ handler }) => handler.runsChild) && hasKey(environment));
  if (!isNeeded) return { kind: 'none', choices };
  return { kind: 'auto', environment, choices, withoutBackend: isAskedFor ? 'fail' : 'simulate' };
}

/** Whether the stages of a pipeline that is not read yet may find a model. */
function hasKey({ variables, settings }: BackendEnvironment): boolean {
  if (settings.providers.size > 0) return true;
  return Object.entries(variables).some(([name, value]) => name.endsWith('_API_KEY') && value !== '');
}

function mayAskModel({ program, extensions, isPretended }: PlannedRun): boolean {
  const ofPlugins = new Set(extensions.handlers.map(({ type }) => type));
  return [...program.nodes.values()].some(
    (node) => mayReachModel(node.handler) && !ofPlugins.has(node.handler.type) && !isPretended(node),
  );
}

/** Whether a stage asks a model that nobody calls. */
export function isWithoutModel(plan: BackendPlan, nodeId: string): boolean {
  switch (plan.kind) {
    case 'none':
      return true;
    case 'auto':
      return plan.withoutBackend === 'simulate' && plan.choices.get(nodeId)?.kind === 'none';
    case 'one':
    case 'plugin':
      return false;
  }
}
