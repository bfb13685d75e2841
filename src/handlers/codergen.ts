import { nodeAttribute } from '../graph/attributes.js';
import type { Node } from '../graph/graph.js';
import { nodeTemplate } from '../graph/templates.js';
import type { Outcome } from '../machine/outcome.js';
import { isReply } from './backend-answer.js';
import { backendCall } from './backend-call.js';
import type { BackendReply, CodergenBackend } from './codergen-backend.js';
import { composePrompt } from './compose-prompt.js';
import { fitPrompt, promptParts } from './fit-prompt.js';
import type { Handler, Stage } from './handler.js';
import { withoutSecrets } from './without-secrets.js';

const responseKept = 200;

/**
 * An LLM stage (§4.5): hands its prompt to the backend and keeps prompt and response as files. Without a backend the
 * response is simulated.
 */
export function codergenHandler(backend?: CodergenBackend): Handler {
  return {
    isSimulated: backend === undefined,
    async execute(stage) {
      const { node, context, carryover } = stage;
      const preamble = (await carryover?.preamble()) ?? '';
      const prompt = withoutSecrets(stage, composePrompt(preamble, await promptOf(stage, backend)));
      stage.writeFile('prompt.md', prompt);
      if (backend === undefined) return replied(stage, simulatedReply(node));
      stage.checkBudget();
      const result = await backend.run(node, prompt, context, backendCall(stage, stage.routes));
      if (typeof result === 'string') return respond(stage, result);
      return isReply(result) ? replied(stage, result) : result;
    },
  };
}

/** Replaces the reply of a model if none is called (§4.5, SEMANTICS 63, 120). */
export function simulatedReply({ id }: Pick<Node, 'id'>): BackendReply {
  return { response: `[Simulated] Response for stage: ${id}`, simulated: true };
}

/** Prompt of the stage, else its label (§2.6), with current values. */
async function promptOf(stage: Stage, backend: CodergenBackend | undefined): Promise<string> {
  const { node } = stage;
  const name = nodeAttribute(node, 'prompt') === '' ? 'label' : 'prompt';
  if (!nodeAttribute(node, name)) return node.id;
  return fitPrompt(stage, promptParts(stage, nodeTemplate(node, name)), backend);
}

/** Outcome of a reply: its verdict, whose context updates override those of the response. */
function replied(stage: Stage, { response, outcome, simulated }: BackendReply): Outcome {
  if (simulated === true) stage.markSimulated();
  const plain = respond(stage, response);
  if (outcome === undefined) return plain;
  return { ...outcome, context_updates: { ...plain.context_updates, ...outcome.context_updates } };
}

/** Outcome of a plain text response, which is kept in full in `response.md` (SEMANTICS 63). */
export function respond(stage: Stage, given: string): Outcome {
  const response = withoutSecrets(stage, given);
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
