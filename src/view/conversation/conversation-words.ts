import { isRecord, type JsonValue } from '../../graph/json.js';
import { describeUsd, grouped } from '../../machine/usage.js';
import type { AttemptStep, TurnUsage } from './conversation-steps.js';

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
