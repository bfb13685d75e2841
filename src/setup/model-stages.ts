import { nodeAttribute } from '../graph/attributes.js';
import { actionWords } from '../graph/manager-actions.js';
import { type ModelChoice, modelChoice } from '../graph/model-choice.js';
import type { PlannedPipeline, PlannedStage } from './preflight/planned-pipelines.js';

/** Stage that asks a model, in the run or in a pipeline that one of its stages runs. */
export interface ModelStage extends Pick<PlannedStage, 'id' | 'graph' | 'node' | 'isBudgeted'> {
  readonly asked: ModelChoice;
}

/** Stages that ask a model. */
export function modelStages(pipelines: readonly PlannedPipeline[]): readonly ModelStage[] {
  return pipelines.flatMap(({ graph, stages }) =>
    stages
      .filter(asksModel)
      .map(({ id, node, isBudgeted }) => ({ id, graph, node, isBudgeted, asked: modelChoice(graph, node) })),
  );
}

/**
 * True if the handler of a stage asks a model: an LLM stage does, and so does one that chooses or steers by
 * a prompt.
 */
function asksModel({ node, handler, isOfPlugin }: PlannedStage): boolean {
  if (isOfPlugin || !handler.mayAskModel) return false;
  if (handler.llm) return true;
  if (nodeAttribute(node, 'prompt') === '') return false;
  return !handler.runsChild || actionWords(node).includes('steer');
}
