import { withDefaultModel } from '../../backends/choose-backend.js';
import { costOf, priceOf } from '../../backends/prices.js';
import type { BackendSettings } from '../../backends/settings.js';
import type { Graph } from '../../graph/graph.js';
import { modelChoice } from '../../graph/model-choice.js';
import { loadTokenCounter } from '../../handlers/count-tokens.js';
import type { CostOfRequest } from '../../testing/play-case.js';
import { assumedOutputTokens } from '../estimate-cost.js';

/** Estimates requests as `attractor cost` does: one for each attempt, with its prompt, at the price of its model. */
export async function costOfRequests(graph: Graph, settings: BackendSettings): Promise<CostOfRequest> {
  const countTokens = await loadTokenCounter();
  return ({ node }, prompt, response) => {
    const { provider, model } = withDefaultModel(modelChoice(graph, node), settings);
    const price = model === undefined ? undefined : priceOf({ provider, model }, settings.prices);
    if (price === undefined) return undefined;
    const output_tokens = response === undefined ? assumedOutputTokens : countTokens(response);
    return costOf({ requests: 1, input_tokens: countTokens(prompt), output_tokens }, price);
  };
}
