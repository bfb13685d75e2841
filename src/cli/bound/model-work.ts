import type { BackendDefinition, BackendEnvironment } from '../../backends/backend.js';
import { withDefaultModel } from '../../backends/choose-backend.js';
import { builtInBackends } from '../../backends/index.js';
import { priceOf } from '../../backends/prices.js';
import { asksModel } from '../../graph/asks-model.js';
import { nodeAttribute } from '../../graph/attributes.js';
import { modelChoice, modelFallbacks } from '../../graph/model-choice.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';

/** Work that a stage itself gives to models, without that of a pipeline that it runs. */
export interface ModelWork {
  /** Requests of one attempt; `unlimited` if only a budget stops them. */
  readonly requests: number | 'unlimited';
  /** True if several of its requests may be under way, or a whole turn is paid before anything is counted. */
  readonly isAgent: boolean;
  /** True if its dollars are not counted. */
  readonly isUnpriced: boolean;
}

const noWork: ModelWork = { requests: 0, isAgent: false, isUnpriced: false };

/** Finds the work of stages for a configuration: by the backend that would be asked, whether or not it has its keys here. */
export function modelWorkOf(
  extensions: ChosenExtensions,
  environment: BackendEnvironment,
): (node: ProgramNode, program: Program) => ModelWork {
  const { backend: name, backends, handlers, settings } = extensions;
  return (node, { graph }) => {
    // Of the handler of a plugin only its own word is known.
    if (handlers.some(({ type }) => type === node.handler.type))
      return node.handler.llm ? { requests: 'unlimited', isAgent: true, isUnpriced: false } : noWork;
    if (!asksModel(node.node, node.handler)) return noWork;
    if (name !== undefined && backends.has(name))
      return { requests: 'unlimited', isAgent: true, isUnpriced: false };
    const asked = withDefaultModel(modelChoice(graph, node.node), settings);
    const definition =
      builtInBackends.find((one) => one.name === name) ??
      builtInBackends.find((one) => one.accepts(asked, environment) !== undefined);
    const fallbacks = modelFallbacks(graph, node.node);
    const each = requestsOf(definition, environment, fallbacks.length);
    if (each === 0) return noWork;
    const isAgent = definition?.runsPrograms === true;
    const models = [asked, ...fallbacks].flatMap(({ provider, model }) =>
      model === undefined ? [] : [{ provider, model }],
    );
    const isUnpriced = !isAgent && models.some((model) => priceOf(model, settings.prices) === undefined);
    return { requests: each === 'unlimited' ? each : each * timesAsked(node), isAgent, isUnpriced };
  };
}

/** A stage for which there is no backend yet is counted as one of `ai`, so that a bound holds with its key too. */
function requestsOf(
  definition: BackendDefinition | undefined,
  { settings }: BackendEnvironment,
  fallbacks: number,
): number | 'unlimited' {
  const asked = definition ?? builtInBackends[0];
  return asked?.mostRequests?.(settings, fallbacks) ?? 'unlimited';
}

/** A manager asks once in each cycle. */
function timesAsked({ node, handler }: ProgramNode): number {
  return handler.runsChild ? nodeAttribute(node, 'manager.max_cycles') : 1;
}
