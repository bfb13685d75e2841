import { nodeAttribute } from '../../graph/attributes.js';
import { nodeTemplate } from '../../graph/templates.js';
import type { Outcome } from '../machine/outcome.js';
import type { CodergenBackend } from './codergen-backend.js';
import { composePrompt } from './compose-prompt.js';
import type { Handler, Stage } from './handler.js';
import { renderForStage } from './stage-values.js';

const responseKept = 200;

/**
 * An LLM stage (§4.5): hands its prompt to the backend and keeps prompt and response as files. Without a backend the
 * response is simulated.
 */
export function codergenHandler(backend?: CodergenBackend): Handler {
  return {
    isPretence: backend === undefined,
    async execute(stage) {
      const { node, context, signal, workingDirectory, stageDirectory, attempt } = stage;
      const { carryover } = stage;
      const prompt = composePrompt((await carryover?.preamble()) ?? '', promptOf(stage));
      stage.writeFile('prompt.md', prompt);
      if (backend === undefined) return respond(stage, `[Simulated] Response for stage: ${node.id}`);
      const result = await backend.run(node, prompt, context, {
        signal,
        workingDirectory,
        stageDirectory,
        attempt,
        ...(carryover && { fidelity: carryover.mode, thread: carryover.thread }),
      });
      return typeof result === 'string' ? respond(stage, result) : result;
    },
  };
}

/** Its prompt, else its label (§2.6), with the values of the moment in place. */
function promptOf(stage: Stage): string {
  const { node } = stage;
  if (nodeAttribute(node, 'prompt') !== '') return renderForStage(stage, nodeTemplate(node, 'prompt'));
  return nodeAttribute(node, 'label') ? renderForStage(stage, nodeTemplate(node, 'label')) : node.id;
}

/** The outcome of a plain text response, which is kept in full in `response.md` (SEMANTICS 63). */
export function respond(stage: Stage, response: string): Outcome {
  stage.writeFile('response.md', response);
  return {
    status: 'success',
    notes: `Stage completed: ${stage.node.id}`,
    context_updates: {
      last_stage: stage.node.id,
      last_response: [...response.slice(0, responseKept * 2)].slice(0, responseKept).join(''),
    },
  };
}
