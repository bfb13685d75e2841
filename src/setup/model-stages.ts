import { asksModel } from '../graph/asks-model.js';
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
      .filter(({ node, handler, isOfPlugin }) => !isOfPlugin && asksModel(node, handler))
      .map(({ id, node, isBudgeted }) => ({ id, graph, node, isBudgeted, asked: modelChoice(graph, node) })),
  );
}
