import type { ModelMessage } from 'ai';
import type { BackendReply } from '../../handlers/codergen-backend.js';
import { failure } from '../../machine/outcome.js';
import { verdictDefinition } from '../verdict.js';
import { askUntilAnswered } from './ask-until-answered.js';
import { compactConversation, isTooLong } from './compact-conversation.js';
import type { ModelReply } from './request-model.js';
import { StageMessages, type StageTurn } from './stage-messages.js';
import { systemPrompt } from './system-prompt.js';
import { type Talk, tellUsage } from './talk.js';
import type { TurnRecord } from './turn-record.js';

export interface Ending {
  readonly reply: BackendReply;
  /** Messages about this stage, if the answer is complete. */
  readonly turn?: StageTurn;
}

/**
 * Asks a model until it has answered, one request at a time, with its tool calls made in between (§4.5): so
 * every request is checked against the budgets, reported, and can be the last.
 */
export async function converse(talk: Talk): Promise<Ending> {
  const { session, dialogue, maxRequests, record } = talk;
  const messages = new StageMessages(
    session?.messages ?? [],
    record.firstMessage(talk.prompt),
    record.compaction,
  );
  while (messages.requests < maxRequests) {
    const reply = record.recordedReply() ?? (await askAndKeep(talk, messages));
    messages.addReply(reply.messages);
    const next = await dialogue.take(reply);
    if (next.kind === 'ask') {
      messages.addAnswers(next.messages.map((message) => kept(record, message)));
      messages.addAnswers(record.wordsOfPeople(talk.call.steering));
      continue;
    }
    if (next.messages === undefined) return { reply: next.reply };
    messages.addAnswers(next.messages);
    const words = record.wordsOfPeople(talk.call.steering);
    if (words.length > 0) {
      // A person had more to say before the stage ended.
      messages.addAnswers(words);
      continue;
    }
    return { reply: next.reply, turn: messages.turn };
  }
  const reason = `the model did not finish within ${maxRequests} requests; give the stage less to do, or raise "ai.max_requests" in the configuration`;
  return { reply: { response: dialogue.answer, outcome: failure(reason) } };
}

/** Keeps the reply before anything follows from it. */
async function askAndKeep(talk: Talk, messages: StageMessages): Promise<ModelReply> {
  await talk.record.kept();
  const reply = await askWithinWindow(talk, messages);
  talk.record.keepReply(reply);
  return reply;
}

/** Asks again with a shorter conversation, once, if it is too long (SEMANTICS 125). */
async function askWithinWindow(talk: Talk, messages: StageMessages): Promise<ModelReply> {
  for (;;) {
    try {
      return await ask(talk, messages.all);
    } catch (error) {
      if (!isTooLong(error)) throw error;
      await compactConversation(talk, messages, error);
    }
  }
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
      system: systemPrompt(talk.situation, call),
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
