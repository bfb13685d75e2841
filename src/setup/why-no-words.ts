import { didYouMean } from '../diagnostic/did-you-mean.js';
import { listFirst } from '../diagnostic/list-first.js';
import { activeVisits } from '../view/active-stages.js';
import type { RunView } from '../view/fold/run-view.js';
import { readView } from '../view/read-view.js';
import { type RunPipeline, runPipelineOf } from '../view/run-pipeline.js';
import { isOver } from '../view/run-status.js';

/**
 * Reason why a stage takes no words, from the history of its run.
 * @param stage as the call names it; `<node>/<stage>` for one of a child run
 * @returns undefined if the stage is at work, or belongs to a child run
 * @throws RunError where the run cannot be read
 */
export function whyNoWords(directory: string, stage: string): string | undefined {
  const view = readView(directory);
  const pipeline = runPipelineOf(directory);
  const known = new Set([...pipeline.graph.nodes.keys(), ...view.nodes.keys()]);
  if (!known.has(stage)) {
    const [node = ''] = stage.split('/');
    if (node !== stage && known.has(node)) return undefined;
    const hint = didYouMean(stage, known) || `; its stages are ${listFirst([...known], 20)}`;
    return `the pipeline has no stage "${stage}"${hint}`;
  }
  const handler = pipeline.nodes.get(stage)?.handler;
  if (handler?.mayAskModel === false) return `"${stage}" has no model: it is a stage of type ${handler.type}`;
  const working = [...new Set(activeVisits(view).map(({ nodeId }) => nodeId))];
  if (working.includes(stage)) return undefined;
  const status = view.statuses.get(stage);
  const state = status === undefined ? 'has not begun' : `has ended (${status})`;
  return `"${stage}" ${state}; ${takers(working, pipeline)}`;
}

/** Stages that may take words now, as the end of a sentence. */
function takers(working: readonly string[], { nodes }: RunPipeline): string {
  const names = working.filter((id) => nodes.get(id)?.handler.mayAskModel !== false);
  if (names.length === 0) return 'no stage with a model is at work now';
  return `at work with a model now: ${listFirst(names)}`;
}

/** Reason why nobody takes words in a run that no process executes. @throws RunError where the run cannot be read */
export function whyNobody(directory: string): string {
  return `${stateOf(readView(directory))}: only a running stage takes words`;
}

function stateOf({ status, pausedReason }: RunView): string {
  if (isOver(status)) return `this run has already finished (${status})`;
  const reason = pausedReason === undefined ? '' : ` (${pausedReason})`;
  return status === 'paused' ? `this run is paused${reason}` : 'no process executes this run now';
}
