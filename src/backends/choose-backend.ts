import type { ModelChoice } from '../graph/model-choice.js';
import type { BackendDefinition, BackendEnvironment } from './backend.js';
import { builtInBackends } from './index.js';
import type { BackendSettings } from './settings.js';

/** Who does the work of a stage, or why nobody can. */
export type BackendChoice =
  | { readonly kind: 'backend'; readonly definition: BackendDefinition; readonly model: ModelChoice }
  /** `isNamed`: whether the stage or the settings name a provider or a model at all. */
  | {
      readonly kind: 'none';
      readonly problem: string;
      readonly isNamed: boolean;
      /** It may not be done, so that pretending to would be wrong too. */
      readonly isRefused?: true;
    };

/**
 * The backend for the model that a stage asks for (§4.5, §8.5): the first of ours that has what it needs for it; what
 * the stage leaves open, the settings say.
 */
export function chooseBackend(
  asked: ModelChoice,
  environment: BackendEnvironment,
  definitions: readonly BackendDefinition[] = builtInBackends,
): BackendChoice {
  const model = withDefaults(asked, environment.settings);
  const isNamed = model.provider !== undefined || model.model !== undefined;
  let problem: string | undefined;
  for (const definition of definitions) {
    const acceptance = definition.accepts(model, environment);
    if (acceptance === undefined) continue;
    if (isRefused(definition, environment)) {
      if (problem !== undefined) continue;
      return {
        kind: 'none',
        problem: refusedAgent(model.provider ?? definition.name),
        isNamed,
        isRefused: true,
      };
    }
    if (acceptance.kind === 'ready') return { kind: 'backend', definition, model };
    problem ??= acceptance.problem;
  }
  return { kind: 'none', problem: problem ?? unknownModel(model), isNamed };
}

/** Whether it would run programs where none may be run. */
export function isRefused({ runsPrograms }: BackendDefinition, environment: BackendEnvironment): boolean {
  return runsPrograms === true && environment.mayRunCommands === false;
}

/** Why a coding agent is not started. */
export function refusedAgent(name: string): string {
  return `"${name}" is a coding agent, which may run any command, and this pipeline may run none`;
}

/** A stage that names a model means no other provider's, and the other way round. */
export function withDefaults(asked: ModelChoice, { provider, model }: BackendSettings): ModelChoice {
  if (asked.model !== undefined) return asked;
  if (asked.provider !== undefined && asked.provider !== provider) return asked;
  return { ...asked, provider, model };
}

function unknownModel({ provider, model }: ModelChoice): string {
  if (provider !== undefined) return `nothing is known of the provider "${provider}"`;
  if (model !== undefined) return `whose model "${model}" is, its name does not say: name the provider too`;
  return 'no model is named';
}
