import { didYouMean } from '../diagnostic/did-you-mean.js';
import type { ModelChoice } from '../graph/model-choice.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import { knownProviders } from './ai/known-providers.js';
import type { BackendDefinition, BackendEnvironment } from './backend.js';
import { builtInBackends } from './index.js';
import type { BackendSettings } from './settings.js';

/** Backend for a stage, or the reason why there is none. */
export type BackendChoice =
  | { readonly kind: 'backend'; readonly definition: BackendDefinition; readonly model: ModelChoice }
  /** `isRefused`: there is one, but it is not allowed. */
  | { readonly kind: 'none'; readonly problem: string; readonly isRefused?: true };

/**
 * Chooses the backend for the model that a stage asks for (§4.5, §8.5): the first of ours that is ready;
 * the settings supply what the stage leaves open. Under a budget, one that can be stopped at the next
 * request is preferred.
 */
export function chooseBackend(
  asked: ModelChoice,
  environment: BackendEnvironment,
  definitions: readonly BackendDefinition[] = builtInBackends,
  isBudgeted = false,
): BackendChoice {
  const model = withDefaultModel(asked, environment.settings);
  let problem: string | undefined;
  let late: BackendChoice | undefined;
  for (const definition of definitions) {
    const acceptance = definition.accepts(model, environment);
    if (acceptance === undefined) continue;
    if (isRefused(definition, environment)) {
      if (problem !== undefined || late !== undefined) continue;
      return { kind: 'none', problem: refusedAgent(model.provider ?? definition.name), isRefused: true };
    }
    if (acceptance.kind === 'ready') {
      const choice: BackendChoice = { kind: 'backend', definition, model };
      if (!isBudgeted || definition.lateUsage?.(model, environment) === undefined) return choice;
      late ??= choice;
    } else problem ??= acceptance.problem;
  }
  return late ?? { kind: 'none', problem: problem ?? unknownModel(model, environment.settings) };
}

/** True if it runs programs and they are not allowed. */
export function isRefused({ runsPrograms }: BackendDefinition, environment: BackendEnvironment): boolean {
  return runsPrograms === true && environment.mayRunCommands === false;
}

/** Reason why a coding agent is not started. */
export function refusedAgent(name: string): string {
  return `"${name}" is a coding agent, which may run any command, but this pipeline may not run commands`;
}

/**
 * Applies default provider and model: neither to a stage that names a model, nor to one that names another
 * provider.
 */
export function withDefaultModel(asked: ModelChoice, { provider, model }: BackendSettings): ModelChoice {
  if (asked.model !== undefined) return asked;
  if (asked.provider !== undefined && asked.provider !== provider) return asked;
  return { ...asked, provider, model };
}

function unknownModel({ provider, model }: ModelChoice, { providers, agents }: BackendSettings): string {
  if (provider !== undefined) {
    const names = [simulatedProvider, ...knownProviders.keys(), ...providers.keys(), ...agents.keys()];
    return `unknown provider "${provider}"${didYouMean(provider, names)}`;
  }
  if (model !== undefined)
    return `cannot tell which provider has the model "${model}": name the provider too`;
  return 'no provider and no model is named';
}
