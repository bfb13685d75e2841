import { nodeAttribute } from '../graph/attributes.js';
import { failure, type Outcome } from '../machine/outcome.js';
import { inputsOfChild } from './child-inputs.js';
import { contextOfChild, failureOfChild, outcomeWithoutEnd, pipelineFault } from './child-outcome.js';
import type { ChildResult } from './child-runner.js';
import type { Handler, Stage } from './handler.js';
import { toolDirectory } from './tools/tool-directory.js';

/**
 * Sub-pipeline (§9.4): runs the file that `child` names as a separate run, whose result becomes that of the
 * stage.
 */
export const pipelineHandler: Handler = {
  async execute(stage) {
    const file = nodeAttribute(stage.node, 'child').trim();
    if (file === '') {
      return pipelineFault(
        `"${stage.node.id}" has no pipeline to run: name one with \`child="path/to/file.dot"\``,
      );
    }
    const child = stage.runChild({
      file,
      workingDirectory: toolDirectory(stage),
      inputs: inputsOfChild(stage),
    });
    const end = await child.end;
    return end.kind === 'ended' ? outcomeOf(stage, file, end.result) : outcomeWithoutEnd(end);
  },
};

function outcomeOf(stage: Stage, file: string, result: ChildResult): Outcome {
  const updates = {
    ...contextOfChild(result, 'child.context', stage),
    'child.status': result.status,
    'child.quality': result.quality,
    'child.run_id': result.run_id,
    'child.run_dir': result.run_dir,
    'child.steps': result.steps,
    'child.failure_reason': result.failure_reason ?? null,
    'child.failed_node': result.failed_node ?? null,
  };
  if (result.status !== 'success') {
    const retryable = result.status === 'cancelled' ? { retryable: false } : {};
    return failure(failureOfChild(file, result), { ...retryable, context_updates: updates });
  }
  return { status: 'success', notes: notesOf(file, result), context_updates: updates };
}

/** Notes of a success, which say so if it is degraded (SEMANTICS 99). */
function notesOf(file: string, { quality, failed_stages: failed }: ChildResult): string {
  const success = `Pipeline completed: ${file}`;
  if (quality === 'clean') return success;
  const why =
    failed.length === 0 ? 'some of its stages were only partly successful' : `failed: ${failed.join(', ')}`;
  return `${success} (${quality}: ${why})`;
}
