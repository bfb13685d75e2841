import type { ModelChoice } from '../graph/model-choice.js';
import type { BackendDefinition, BackendEnvironment } from './backend.js';
import { builtInBackends } from './index.js';
import type { BackendSettings } from './settings.js';

/** Who does the work of a stage, or why nobody can. */
export type BackendChoice =
  | { readonly kind: 'backend'; readonly definition: BackendDefinition; readonly model: ModelChoice }
  /** `isNamed`: whether the stage or the settings name a provider or a model at all. */
  | { readonly kind: 'none'; readonly problem: string; readonly isNamed: boolean };

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
  let problem: string | undefined;
  for (const definition of definitions) {
    const acceptance = definition.accepts(model, environment);
    if (acceptance?.kind === 'ready') return { kind: 'backend', definition, model };
    problem ??= acceptance?.problem;
  }
  const isNamed = model.provider !== undefined || model.model !== undefined;
  return { kind: 'none', problem: problem ?? unknownModel(model), isNamed };
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
