import { costOf, type Price, type Prices, priceOf } from '../backends/prices.js';
import { nodeAttribute } from '../graph/attributes.js';
import { cyclicGroups } from '../graph/flow/cycles.js';
import type { ModelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { CountTokens } from '../handlers/count-tokens.js';
import type { Usage } from '../machine/usage.js';
import type { PastUsage, StagePast } from '../view/past-usage.js';

/** Estimated cost of a pipeline's run, with the source of each figure (SEMANTICS §12). */
export interface CostEstimate {
  readonly stages: readonly StageEstimate[];
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Cost of the stages for which it is known; null if there are none. */
  readonly cost_usd: number | null;
  /** Stages that are not in the sum. */
  readonly stages_without_cost: readonly string[];
  /** Stages that run pipelines of which no past run says what they cost; not in the sum either. */
  readonly unknown_pipelines: readonly string[];
}

export interface StageEstimate {
  readonly node_id: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly model_from: 'pipeline' | 'past_runs' | 'unknown';
  /** Visits in one run, on average. */
  readonly visits: number;
  /** `loop`: one is assumed, but the stage is in a loop, and how often that is run is not known. */
  readonly visits_from: 'past_runs' | 'assumed' | 'loop';
  /** Tokens in one visit, on average. */
  readonly input_tokens: number;
  readonly input_from: 'past_runs' | 'prompt';
  readonly output_tokens: number;
  readonly output_from: 'past_runs' | 'assumed';
  /** US dollars for a million tokens. */
  readonly price: Price | null;
  readonly price_from: 'configuration' | 'built_in' | 'past_runs' | 'unknown';
  /** Cost in one run. */
  readonly cost_usd: number | null;
}

export interface EstimateInput {
  readonly program: Program;
  readonly past: PastUsage;
  readonly prices: Prices;
  readonly countTokens: CountTokens;
  /** The model of a stage, with what the configuration says for those that name none. */
  readonly modelOf: (node: ProgramNode) => ModelChoice;
  /** Returns true if a stage asks a model, so that it costs something. */
  readonly asksModel: (node: ProgramNode) => boolean;
}

/** Assumed tokens of a model's answer, if no past run shows them. */
export const assumedOutputTokens = 1000;

export function estimateCost(input: EstimateInput): CostEstimate {
  const { program, past } = input;
  const inLoop = new Set(cyclicGroups(program.nodes.keys(), (id) => successors(program, id)).flat());
  const stages = [...program.nodes.values()]
    .filter((node) => input.asksModel(node) || (past.stages.get(node.id)?.usage.requests ?? 0) > 0)
    .map((node) => estimateStage(node, inLoop.has(node.id), input));
  const known = stages.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]));
  return {
    stages,
    input_tokens: sum(stages.map(({ visits, input_tokens }) => visits * input_tokens)),
    output_tokens: sum(stages.map(({ visits, output_tokens }) => visits * output_tokens)),
    cost_usd: known.length === 0 ? null : sum(known),
    unknown_pipelines: [...program.nodes.values()]
      .filter(({ id, handler }) => handler.runsChild && !past.stages.has(id))
      .map(({ id }) => id),
    stages_without_cost: stages.filter(({ cost_usd }) => cost_usd === null).map(({ node_id }) => node_id),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Nodes that control may go to, jumps included. */
function successors(program: Program, id: string): readonly string[] {
  const { nodes, exitId, goalGates, goalGateTargets } = program;
  const node = nodes.get(id);
  const fromExit = goalGates.flatMap(({ jumpTargets }) => [...jumpTargets, ...goalGateTargets]);
  const jumps = [...(node?.jumpTargets ?? []), ...(id === exitId ? fromExit : [])];
  const edges = node?.edges.map(({ to }) => to) ?? [];
  return [...edges, ...jumps.map(({ nodeId }) => nodeId)].filter((to) => nodes.has(to));
}

function estimateStage(node: ProgramNode, isInLoop: boolean, input: EstimateInput): StageEstimate {
  const { past, prices } = input;
  const before = past.stages.get(node.id);
  const hasPast = before !== undefined && before.visits > 0 && before.usage.requests > 0;
  // Runs that did all of it, and never came there, say something too.
  const isKnown = before !== undefined || (past.isSamePipeline && past.areComplete);
  const visits = isKnown ? (before?.visits ?? 0) / past.runIds.length : 1;
  const usage = hasPast ? perVisit(before) : usageOfPrompt(node, input.countTokens);
  const { provider, model, model_from } = modelFor(node, before, input);
  const recordedCost = hasPast && before.models.has(model ?? '') ? usage.cost_usd : undefined;
  // What several models have used has no price of one of them.
  const isMixed = recordedCost !== undefined && (before?.models.size ?? 0) > 1;
  const price =
    model === null || isMixed ? undefined : priceOf({ provider: provider ?? undefined, model }, prices);
  const cost = price === undefined ? recordedCost : costOf(usage, price);
  return {
    node_id: node.id,
    provider,
    model,
    model_from,
    visits,
    visits_from: isKnown ? 'past_runs' : isInLoop ? 'loop' : 'assumed',
    input_tokens: usage.input_tokens,
    input_from: hasPast ? 'past_runs' : 'prompt',
    output_tokens: usage.output_tokens,
    output_from: hasPast ? 'past_runs' : 'assumed',
    price: price ?? null,
    price_from: priceSource(price, recordedCost, prices),
    cost_usd: cost === undefined ? null : visits * cost,
  };
}

function priceSource(
  price: Price | undefined,
  recordedCost: number | undefined,
  own: Prices,
): StageEstimate['price_from'] {
  if (price !== undefined) return [...own.values()].includes(price) ? 'configuration' : 'built_in';
  return recordedCost === undefined ? 'unknown' : 'past_runs';
}

/** Model of a stage; the attributes of one that runs another pipeline do not apply there. */
function modelFor(
  node: ProgramNode,
  before: StagePast | undefined,
  { modelOf }: EstimateInput,
): Pick<StageEstimate, 'provider' | 'model' | 'model_from'> {
  const choice: Partial<ModelChoice> = node.handler.runsChild ? {} : modelOf(node);
  const { model } = choice;
  const provider = choice.provider ?? null;
  if (model !== undefined) return { provider, model, model_from: 'pipeline' };
  if (before === undefined || before.model === '') return { provider, model: null, model_from: 'unknown' };
  return { provider: before.provider || provider, model: before.model, model_from: 'past_runs' };
}

function perVisit({ visits, usage }: StagePast): Usage {
  const shares = Object.entries(usage).map(([key, value]) => [key, value / visits]);
  return Object.fromEntries(shares) as Usage;
}

/** Usage of one request with the prompt alone: the preamble and the results of tools are unknown. */
function usageOfPrompt({ node, label }: ProgramNode, countTokens: CountTokens): Usage {
  const prompt = nodeAttribute(node, 'prompt') || label;
  return { requests: 1, input_tokens: countTokens(prompt), output_tokens: assumedOutputTokens };
}
