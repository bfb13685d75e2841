import type { BackendCall, CodergenBackend } from '../handlers/codergen-backend.js';
import { failure } from '../machine/outcome.js';
import { RunError } from '../run-directory/run-error.js';
import type { BackendDefinition, BackendEnvironment, ClosableBackend } from './backend.js';
import { chooseBackend, isRefused, refusedAgent, withDefaultModel } from './choose-backend.js';
import { builtInBackends } from './index.js';

/**
 * Backend that chooses one of ours for each stage, by its `llm_provider` and `llm_model` (§4.5); each is
 * made when the first stage needs it, and a failure to make one fails that stage.
 */
export function autoBackend(
  environment: BackendEnvironment,
  definitions: readonly BackendDefinition[] = builtInBackends,
): ClosableBackend {
  const made = new Map<string, Promise<ClosableBackend>>();
  const make = (definition: BackendDefinition): Promise<CodergenBackend> => {
    const known = made.get(definition.name) ?? definition.create(environment);
    made.set(definition.name, known);
    return known;
  };
  return {
    async readsFiles(node, call) {
      const choice = chooseBackend(call.model, environment, definitions, call.isBudgeted);
      // Without a backend, running the stage says why.
      if (choice.kind === 'none') return true;
      const backend = await make(choice.definition);
      return (await backend.readsFiles?.(node, { ...call, model: choice.model })) === true;
    },
    async run(node, prompt, context, call) {
      const choice = chooseBackend(call.model, environment, definitions, call.isBudgeted);
      if (choice.kind === 'none') {
        return failure(`stage "${node.id}": ${choice.problem}`, {
          retryable: false,
          failure_category: 'terminal',
        });
      }
      const backend = await make(choice.definition);
      return backend.run(node, prompt, context, { ...call, model: choice.model });
    },
    providerOf({ model, isBudgeted }) {
      const choice = chooseBackend(model, environment, definitions, isBudgeted);
      return choice.kind === 'none' ? undefined : choice.definition.providerOf?.(choice.model, environment);
    },
    mayCost(model) {
      const choice = chooseBackend(model, environment, definitions);
      return choice.kind === 'backend' && choice.definition.isFree !== true;
    },
    async close() {
      const backends = await Promise.allSettled(made.values());
      await Promise.all(
        backends.map((result) => (result.status === 'fulfilled' ? result.value.close?.() : undefined)),
      );
    },
  };
}

/** Makes one of our backends for all stages; the settings supply what a stage leaves open. */
export async function oneBackend(
  definition: BackendDefinition,
  environment: BackendEnvironment,
): Promise<ClosableBackend> {
  if (isRefused(definition, environment)) throw new RunError('usage', refusedAgent(definition.name));
  const backend = await definition.create(environment);
  const withModel = (call: BackendCall): BackendCall => ({
    ...call,
    model: withDefaultModel(call.model, environment.settings),
  });
  return {
    readsFiles: (node, call) => backend.readsFiles?.(node, withModel(call)) ?? false,
    run: (node, prompt, context, call) => backend.run(node, prompt, context, withModel(call)),
    providerOf: ({ model }) =>
      definition.providerOf?.(withDefaultModel(model, environment.settings), environment),
    mayCost: () => definition.isFree !== true,
    close: () => backend.close?.(),
  };
}
