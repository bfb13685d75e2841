import { setImmediate } from 'node:timers/promises';
import type { BackendCall, CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { tokensOf, type Usage } from '../../src/machine/usage.js';

/** What one request uses: tokens that go in, that come out, and what that costs. */
export interface Request {
  readonly input?: number;
  readonly output?: number;
  readonly usd?: number;
  readonly model?: string;
}

export interface SpendingBackend extends CodergenBackend {
  /** The stages whose requests have begun, in order, one entry a request. */
  readonly begun: string[];
  /** How many tokens all stages had used when each of them began. */
  readonly usedBefore: number[];
}

/**
 * Makes the requests of each stage one after the other, as a model that calls tools does, and asks before each whether it
 * may. A stage without any makes one that uses 100 tokens and a cent.
 */
export function spendingBackend(
  requests: Readonly<Record<string, readonly Request[]>> = {},
  during: (nodeId: string, call: BackendCall) => Promise<unknown> = () => setImmediate(),
): SpendingBackend {
  const begun: string[] = [];
  const usedBefore: number[] = [];
  let used = 0;
  return {
    begun,
    usedBefore,
    async run(node, _prompt, _context, call) {
      for (const request of requests[node.id] ?? [{}]) {
        call.checkBudget();
        begun.push(node.id);
        usedBefore.push(used);
        await during(node.id, call);
        const usage = usageOf(request);
        used += tokensOf(usage);
        call.report({ kind: 'model_used', provider: 'test', model: request.model ?? 'm', usage });
      }
      return `${node.id} is done`;
    },
  };
}

function usageOf({ input = 60, output = 40, usd = 0.01 }: Request): Usage {
  return {
    requests: 1,
    input_tokens: input,
    output_tokens: output,
    ...(!Number.isNaN(usd) && { cost_usd: usd }),
  };
}
