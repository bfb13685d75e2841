import { findProvider, type ModelAddress } from '../backends/ai/find-provider.js';
import { modelFallbacks } from '../graph/model-choice.js';
import { messageOf } from '../handlers/error-category.js';
import type { Clock } from '../run/driver/clock.js';
import type { BackendPlan } from './backend-plan.js';
import { workerOf } from './worker-of.js';

/** Answer of a provider to one tiny request. */
export interface Probe {
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly state: 'ok' | 'failed';
  readonly milliseconds: number;
  /** Reason of a failure. */
  readonly problem: string | undefined;
}

/** Time after which a provider counts as silent, in milliseconds. */
const probeTimeout = 10_000;

/** Makes the request; rejects with the reason if the provider refuses it. */
export type AskModel = (address: ModelAddress, signal: AbortSignal) => Promise<void>;

/** Models that a plan calls directly, and their fallbacks, each once. */
export function probedModels(plan: BackendPlan): readonly ModelAddress[] {
  if (plan.kind === 'none' || plan.kind === 'plugin') return [];
  const addresses = plan.stages.flatMap((stage): readonly ModelAddress[] => {
    const worker = workerOf(plan, stage);
    if (worker?.definition.name !== 'ai') return [];
    const fallbacks = modelFallbacks(stage.graph, stage.node);
    return [worker.model, ...fallbacks.map((named) => ({ ...named, reasoningEffort: '' }))].flatMap(
      (model) => {
        const reading = findProvider(model, plan.environment);
        return reading.kind === 'found' ? [reading.address] : [];
      },
    );
  });
  return [...new Map(addresses.map((address) => [nameOf(address), address])).values()];
}

/** Asks all of them at the same time (SEMANTICS 121). */
export function probeModels(
  addresses: readonly ModelAddress[],
  ask: AskModel,
  clock: Clock,
): Promise<readonly Probe[]> {
  return Promise.all(addresses.map((address) => probe(address, ask, clock)));
}

async function probe(address: ModelAddress, ask: AskModel, clock: Clock): Promise<Probe> {
  const began = clock.now();
  const over = new AbortController();
  const silence = clock.sleep(probeTimeout, over.signal).then(
    () => `no answer within ${probeTimeout / 1000} s`,
    () => undefined,
  );
  const answer = ask(address, over.signal).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  const problem = await Promise.race([answer, silence]);
  const milliseconds = clock.now() - began;
  over.abort();
  return { model: nameOf(address), state: problem === undefined ? 'ok' : 'failed', milliseconds, problem };
}

function nameOf({ provider, model }: ModelAddress): string {
  return `${provider}/${model}`;
}
