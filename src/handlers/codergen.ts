import { nodeAttribute } from '../graph/attributes.js';
import type { Node } from '../graph/graph.js';
import { nodeTemplate } from '../graph/templates.js';
import type { Outcome } from '../machine/outcome.js';
import { isReply } from './backend-answer.js';
import { backendCall } from './backend-call.js';
import type { BackendCall, BackendReply, CodergenBackend } from './codergen-backend.js';
import { composePrompt } from './compose-prompt.js';
import type { RetryReason, VisitConversation } from './conversation.js';
import type { EntryOf } from './conversation-entry.js';
import { fitPrompt, type PromptPart, promptParts } from './fit-prompt.js';
import type { Handler, Stage } from './handler.js';
import { systemPromptOf } from './system-prompt-of.js';
import { withoutSecrets } from './without-secrets.js';

const responseKept = 200;
/** Characters of the reason why an attempt is repeated, in the prompt of the next one. */
const reasonKept = 2000;

/**
 * An LLM stage (§4.5): hands its prompt to the backend and keeps prompt and response as files. Without a backend the
 * response is simulated.
 */
export function codergenHandler(backend?: CodergenBackend): Handler {
  return {
    isSimulated: backend === undefined,
    async execute(stage) {
      const { node, carryover } = stage;
      const own = withoutSecrets(stage, await promptOf(stage, backend));
      const conversation = stage.openConversation(own);
      const compose = async (beginsAnew: boolean): Promise<string> => {
        const preamble = (await carryover?.preamble(beginsAnew)) ?? '';
        const told = withRetryReason(composePrompt(preamble, own), conversation?.retryReason);
        const prompt = withoutSecrets(stage, told);
        stage.writeFile('prompt.md', prompt);
        return prompt;
      };
      const systemPrompt = systemPromptOf(stage);
      if (systemPrompt !== undefined) stage.writeFile('system_prompt.md', systemPrompt);
      const prompts = { systemPrompt, first: await compose(false), forNewSession: () => compose(true) };
      if (backend === undefined) return replied(stage, simulate(node, prompts, conversation));
      const given = conversation?.answer;
      const result =
        given === undefined ? await ask(stage, backend, prompts, conversation) : answerAgain(stage, given);
      if (typeof result === 'string') return respond(stage, result);
      return isReply(result) ? replied(stage, result) : result;
    },
  };
}

/** Replaces the reply of a model if none is called (§4.5, SEMANTICS 63, 120). */
export function simulatedReply({ id }: Pick<Node, 'id'>): BackendReply {
  return { response: `[Simulated] Response for stage: ${id}`, simulated: true };
}

function simulate(node: Node, prompts: Prompts, conversation: VisitConversation | undefined): BackendReply {
  const reply = simulatedReply(node);
  conversation?.forBackend(() => prompts.first);
  conversation?.answered(reply);
  return reply;
}

/** Prompts of an attempt, of which the backend uses one. */
interface Prompts {
  readonly first: string;
  readonly systemPrompt: string | undefined;
  readonly forNewSession: () => Promise<string>;
}

type Answer = Awaited<ReturnType<CodergenBackend['run']>>;

async function ask(
  stage: Stage,
  backend: CodergenBackend,
  { first, forNewSession, systemPrompt }: Prompts,
  conversation: VisitConversation | undefined,
): Promise<Answer> {
  stage.checkBudget();
  let sent = first;
  const call: BackendCall = {
    ...backendCall(stage, stage.routes),
    systemPrompt,
    promptForNewSession: async () => {
      sent = await forNewSession();
      return sent;
    },
  };
  if (conversation === undefined) return backend.run(stage.node, first, stage.context, call);
  try {
    const result = await backend.run(stage.node, first, stage.context, {
      ...call,
      conversation: conversation.forBackend(() => sent),
      report(progress) {
        call.report(progress);
        conversation.progressed(progress);
      },
    });
    conversation.answered(result);
    return result;
  } finally {
    conversation.flush();
  }
}

/** Answer of this attempt from before its process ended, which is not asked for again (SEMANTICS 123). */
function answerAgain(stage: Stage, { response, outcome, status_file }: EntryOf<'answered'>): Answer {
  stage.log('info', `"${stage.node.id}" had answered before the run was interrupted; its answer is used`);
  if (status_file !== undefined) stage.writeFile('status.json', status_file);
  const given = outcome as Outcome | undefined;
  return response === undefined ? (given as Outcome) : { response, outcome: given };
}

/** Adds one line about the attempt before, which answered and is repeated all the same (SEMANTICS 123). */
function withRetryReason(prompt: string, retry: RetryReason | undefined): string {
  if (retry === undefined) return prompt;
  const reason = (retry.reason ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, reasonKept);
  const line = `Attempt ${retry.attempt} at this was not accepted${reason === '' ? '.' : `: ${reason}`}`;
  return `${prompt}\n\n${line}`;
}

/** Prompt of the stage, else its label (§2.6), with current values. */
async function promptOf(stage: Stage, backend: CodergenBackend | undefined): Promise<string> {
  return fitPrompt(stage, ownPrompt(stage), backend);
}

/**
 * Parts of the prompt of a stage, without its history.
 * @throws StageCrash under strict values, if one is missing
 */
export function ownPrompt(stage: Stage): readonly PromptPart[] {
  const { node } = stage;
  const name = nodeAttribute(node, 'prompt') === '' ? 'label' : 'prompt';
  return nodeAttribute(node, name) ? promptParts(stage, nodeTemplate(node, name)) : [node.id];
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
