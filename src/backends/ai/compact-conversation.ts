import { StageCrash } from '../../handlers/handler.js';
import { askUntilAnswered } from './ask-until-answered.js';
import { type OlderTurns, olderTurns } from './older-turns.js';
import { RequestError } from './request-error.js';
import { mostSummaryRequests } from './request-limits.js';
import type { StageMessages } from './stage-messages.js';
import { type Talk, tellUsage } from './talk.js';
import { shareThatFits } from './too-long.js';

/**
 * Replaces the older turns of a conversation that a server has refused as too long by a summary, which the same model writes
 * (SEMANTICS 125): the prompt and the newest turns stay. It is recorded with the turns, so that it is paid for once.
 * @param refusal what the server said
 * @throws RequestError that is final, if it cannot be done or was done before
 */
export async function compactConversation(
  talk: Talk,
  messages: StageMessages,
  refusal: RequestError,
): Promise<void> {
  if (messages.compaction !== undefined) throw stillTooLong(refusal, 'with_summary');
  let share = shareThatFits(refusal.failure.said);
  let refused = refusal;
  for (let request = 1; request <= mostSummaryRequests; request += 1) {
    const older = olderTurns(messages, share);
    if (older === undefined) throw stillTooLong(refused, request === 1 ? 'prompt_alone' : 'for_summary');
    try {
      const summary = await askForSummary(talk, older, messages.turns.length - older.turns, refused);
      messages.compaction = { summary, turns: older.turns };
      talk.record.keepCompaction(messages.compaction);
      return;
    } catch (error) {
      if (!isTooLong(error)) throw error;
      refused = error;
      share /= 2;
    }
  }
  throw stillTooLong(refused, 'for_summary');
}

/** True for a request that was refused as too long. */
export function isTooLong(error: unknown): error is RequestError {
  return error instanceof RequestError && error.failure.kind === 'too_long';
}

function stillTooLong(
  { failure, context }: RequestError,
  tooLong: 'prompt_alone' | 'with_summary' | 'for_summary',
): RequestError {
  return new RequestError({ ...failure, tooLong }, context);
}

const instructions =
  'You have worked on one stage of a pipeline, with tools, and the conversation about it has become too long for you. Summarize the part of it that you are given: your summary takes its place, and whatever you leave out is lost.';

const request =
  'Write the summary now, as notes to yourself: what was asked and decided; what was done, with the exact names of files, commands and values; what you found out; what failed, and why; what is still open. Give only the summary, and do not continue the work.';

async function askForSummary(
  { line, patience, call, maxOutputTokens, warn }: Talk,
  { replies, transcript }: OlderTurns,
  kept: number,
  refused: RequestError,
): Promise<string> {
  const { provider, model } = (await line.current()).address;
  call.report({
    kind: 'conversation_compacting',
    provider,
    model,
    turns: replies,
    kept,
    error: refused.message,
  });
  const { text } = await askUntilAnswered({
    line,
    patience,
    call,
    warn,
    request: ({ address }) => ({
      messages: [{ role: 'user', content: `${transcript}\n\n---\n\n${request}` }],
      system: instructions,
      tools: [],
      maxOutputTokens,
      // It is not a part of the answer.
      onText: undefined,
      onWarning: warn,
      onUsage: (usage) => tellUsage({ call, warn }, address, usage),
    }),
  });
  if (text.trim() !== '') return text.trim();
  throw new StageCrash(
    `the conversation is too long for ${provider}/${model}, which was asked for a summary of its older turns and wrote none`,
    { retryable: true },
  );
}
