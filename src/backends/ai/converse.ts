import type { ModelMessage } from 'ai';
import type { BackendCall, BackendReply } from '../../handlers/codergen-backend.js';
import { failure } from '../../machine/outcome.js';
import type { Usage } from '../../machine/usage.js';
import { verdictDefinition } from '../verdict.js';
import { askUntilAnswered, type Patience } from './ask-until-answered.js';
import type { ModelAddress } from './find-provider.js';
import type { ModelLine } from './model-line.js';
import type { OpenConversation } from './open-conversation.js';
import type { ModelReply } from './request-model.js';
import type { StageDialogue } from './stage-dialogue.js';
import { systemPrompt } from './system-prompt.js';
import type { AgentTool } from './tools/agent-tool.js';
import type { TurnRecord } from './turn-record.js';

/** Options of a conversation about one stage. */
export interface Talk {
  readonly line: ModelLine;
  readonly patience: Patience;
  readonly call: BackendCall;
  readonly prompt: string;
  readonly tools: readonly AgentTool[];
  /** The real path of the working directory. */
  readonly root: string;
  readonly session: OpenConversation | undefined;
  readonly dialogue: StageDialogue;
  readonly record: TurnRecord;
  readonly maxRequests: number;
  readonly maxOutputTokens: number | undefined;
  warn(message: string): void;
}

export interface Ending {
  readonly reply: BackendReply;
  /** Messages about this stage, if the answer is complete. */
  readonly turn?: readonly ModelMessage[];
}

/**
 * Asks a model until it has answered, one request at a time, with its tool calls made in between (§4.5): so
 * every request is checked against the budgets, reported, and can be the last.
 */
export async function converse(talk: Talk): Promise<Ending> {
  const { session, dialogue, maxRequests, record } = talk;
  const turn: ModelMessage[] = [record.firstMessage(talk.prompt)];
  for (let request = 1; request <= maxRequests; request += 1) {
    const reply = record.recordedReply() ?? (await askAndKeep(talk, [...(session?.messages ?? []), ...turn]));
    turn.push(...reply.messages);
    const next = await dialogue.take(reply);
    if (next.kind === 'ask') {
      turn.push(...next.messages.map((message) => kept(record, message)));
      continue;
    }
    if (next.messages === undefined) return { reply: next.reply };
    return { reply: next.reply, turn: [...turn, ...next.messages] };
  }
  const reason = `the model did not finish within ${maxRequests} requests; give the stage less to do, or raise "ai.max_requests" in the configuration`;
  return { reply: { response: dialogue.answer, outcome: failure(reason) } };
}

/** Keeps the reply before anything follows from it. */
async function askAndKeep(talk: Talk, messages: readonly ModelMessage[]): Promise<ModelReply> {
  const reply = await ask(talk, messages);
  talk.record.keepReply(reply);
  return reply;
}

/** Keeps a request of ours; results of tools are kept already. */
function kept(record: TurnRecord, message: ModelMessage): ModelMessage {
  return message.role === 'user' && typeof message.content === 'string'
    ? record.userMessage(message.content)
    : message;
}

function ask(talk: Talk, messages: readonly ModelMessage[]): Promise<ModelReply> {
  const { line, patience, call, tools, warn } = talk;
  return askUntilAnswered({
    line,
    patience,
    call,
    warn,
    request: ({ address }) => ({
      messages,
      maxOutputTokens: talk.maxOutputTokens,
      system: systemPrompt(talk.root, tools.length > 0, call.routes),
      tools:
        call.routes === undefined
          ? tools
          : [...tools, verdictDefinition(call.routes, address.kind === 'google' ? 'openapi' : 'json_schema')],
      // By default OpenAI makes every tool strict, which forbids optional inputs.
      strictTools: address.kind === 'openai' ? false : undefined,
      onText: (channel, text) => call.report({ kind: 'text', channel, text }),
      onWarning: warn,
      onUsage: (usage) => tellUsage(talk, address, usage),
    }),
  });
}

function tellUsage({ call, warn }: Talk, { provider, model }: ModelAddress, told: Usage | undefined): void {
  if (told === undefined) {
    warn(`${provider} does not say how many tokens it used, so budgets do not count them`);
  }
  const usage = told ?? { requests: 1, input_tokens: 0, output_tokens: 0 };
  call.report({ kind: 'model_used', provider, model, usage });
}
