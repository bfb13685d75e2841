import { counted } from '../../diagnostic/counted.js';
import { isRecord, type JsonValue } from '../../graph/json.js';
import { describeUsd, grouped } from '../../machine/usage.js';
import type { AttemptStep, CallEnd, ConversationStep, TurnUsage } from './conversation-steps.js';

type StepOf<Kind extends ConversationStep['kind']> = Extract<ConversationStep, { readonly kind: Kind }>;

/** Attempt in a few words: `attempt 2 · acp:codex · gpt-5.2 · continues`. */
export function attemptWords({ attempt, backend, model, continues }: AttemptStep): string {
  const parts = [`attempt ${attempt}`, backend, model, continues ? 'continues' : undefined];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** Usage of a turn: `1,200 in · 34 out · $0.01`, or that of several turns. */
export function turnUsageWords({ usage, turns }: TurnUsage): string {
  const {
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cached = 0,
    cost_usd: cost,
  } = usage;
  const tokens =
    input + output === 0
      ? []
      : [`${grouped(input)} in${cached > 0 ? ` (${grouped(cached)} cached)` : ''}`, `${grouped(output)} out`];
  const price = cost === undefined || cost === 0 ? [] : [describeUsd(cost)];
  const words = [...tokens, ...price].join(' · ');
  return turns > 1 && words !== '' ? `${words} in ${turns} turns` : words;
}

/** Result of a stage that its model reported: `success → Ship`, with its notes or its reason. */
export function outcomeWords(outcome: JsonValue | undefined): string {
  if (!isRecord(outcome)) return '';
  const { status, preferred_label: label, notes, failure_reason: reason } = outcome;
  const head = [status, label].filter((part) => typeof part === 'string' && part !== '').join(' → ');
  const text = [reason, notes].find((part) => typeof part === 'string' && part !== '');
  return typeof text === 'string' ? `${head}: ${text}` : head;
}

/** Title of a request to the model. */
export function requestTitle({ isPrompt }: Pick<StepOf<'request'>, 'isPrompt'>): string {
  return isPrompt ? 'prompt' : 'attractor';
}

export function personName({ by }: Pick<StepOf<'person'>, 'by'>): string {
  return by ?? 'person';
}

export function compactionWords({ turns }: Pick<StepOf<'compacted'>, 'turns'>): string {
  return `${counted(turns, 'older turn')} replaced by a summary`;
}

export function retryWords({ reason }: Pick<StepOf<'retried'>, 'reason'>): string {
  return `tried again: ${reason}`;
}

/** End of a tool call; `…` if there is none, or none yet. */
export function callEnd(result: CallEnd | undefined): string {
  if (result === undefined) return '…';
  if (result.interrupted) return 'interrupted';
  return result.success ? 'ok' : 'failed';
}

/** Words about a reply that is not complete. */
export const replyEndWords = {
  cut_off: 'the reply was cut off',
  filtered: 'the reply was filtered',
} as const;
