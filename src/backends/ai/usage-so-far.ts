import type { Usage } from '../../machine/usage.js';

/**
 * Usage of a request that is reported so far, for a reply that breaks off before its end, and for replies that pass by.
 * Anthropic reports it with the first event of a stream, Google with each, and so do some servers with the chat
 * interface of OpenAI; OpenAI itself only at the end. A reply that is not a stream is one event.
 * @param before usage from earlier events
 * @param event as it came from the provider, of whatever shape
 */
export function usageSoFar(before: Usage | undefined, event: unknown): Usage | undefined {
  const now = ofAnthropic(before, event) ?? ofGoogle(event) ?? ofResponses(event) ?? ofChat(event);
  if (before === undefined || now === undefined) return now ?? before;
  // What was used does not become less.
  return {
    ...now,
    input_tokens: Math.max(before.input_tokens, now.input_tokens),
    output_tokens: Math.max(before.output_tokens, now.output_tokens),
  };
}

function ofAnthropic(before: Usage | undefined, event: unknown): Usage | undefined {
  switch (fieldIn(event, 'type')) {
    case 'message_start':
      return ofMessage(fieldIn(event, 'message', 'usage'));
    case 'message':
      return ofMessage(fieldIn(event, 'usage'));
    case 'message_delta': {
      // Tools of the server add to the input of the first event; some servers repeat it as 0.
      const whole = ofMessage(fieldIn(event, 'usage'));
      if (whole !== undefined && whole.input_tokens >= (before?.input_tokens ?? 0)) return whole;
      const output = countIn(event, 'usage', 'output_tokens');
      return before && output !== undefined ? { ...before, output_tokens: output } : before;
    }
    default:
      return undefined;
  }
}

function ofMessage(told: unknown): Usage | undefined {
  const cached = countIn(told, 'cache_read_input_tokens');
  const written = countIn(told, 'cache_creation_input_tokens');
  // It excludes cached tokens.
  const input = countIn(told, 'input_tokens');
  const all = input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0);
  const details = { cached_input_tokens: cached, cache_write_tokens: written };
  return usage(all, countIn(told, 'output_tokens'), details);
}

function ofGoogle(event: unknown): Usage | undefined {
  const told = fieldIn(event, 'usageMetadata');
  const thoughts = countIn(told, 'thoughtsTokenCount');
  const output = (countIn(told, 'candidatesTokenCount') ?? 0) + (thoughts ?? 0);
  return usage(countIn(told, 'promptTokenCount'), output, {
    cached_input_tokens: countIn(told, 'cachedContentTokenCount'),
    reasoning_tokens: thoughts,
  });
}

/** The responses of OpenAI, whole or in the last event of a stream. */
function ofResponses(event: unknown): Usage | undefined {
  const response = fieldIn(event, 'response') ?? event;
  const told = fieldIn(response, 'usage');
  return usage(countIn(told, 'input_tokens'), countIn(told, 'output_tokens'), {
    cached_input_tokens: countIn(told, 'input_tokens_details', 'cached_tokens'),
    reasoning_tokens: countIn(told, 'output_tokens_details', 'reasoning_tokens'),
  });
}

function ofChat(event: unknown): Usage | undefined {
  const told = fieldIn(event, 'usage');
  return usage(countIn(told, 'prompt_tokens'), countIn(told, 'completion_tokens'), {
    cached_input_tokens: countIn(told, 'prompt_tokens_details', 'cached_tokens'),
    reasoning_tokens: countIn(told, 'completion_tokens_details', 'reasoning_tokens'),
  });
}

type Detail = 'cached_input_tokens' | 'cache_write_tokens' | 'reasoning_tokens';

function usage(
  input: number | undefined,
  output: number | undefined,
  details: Readonly<Partial<Record<Detail, number | undefined>>>,
): Usage | undefined {
  if (input === undefined) return undefined;
  const known = Object.entries(details).filter(([, count]) => count !== undefined);
  return { requests: 1, input_tokens: input, output_tokens: output ?? 0, ...Object.fromEntries(known) };
}

function fieldIn(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** Number of tokens; undefined for anything else. */
function countIn(value: unknown, ...names: readonly string[]): number | undefined {
  const found = fieldIn(value, ...names);
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined;
}
