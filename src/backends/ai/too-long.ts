import { textFieldOf } from '../../handlers/error-fields.js';

/**
 * Words of servers for a request that exceeds the context window, or the size that a server takes. Each is the whole of a
 * refusal: words such as "too many tokens" also stand in those of a rate limit.
 */
const refusals: readonly RegExp[] = [
  // Anthropic, Bedrock, Fireworks: "prompt is too long: 212302 tokens > 200000 maximum".
  /(?:prompt|input) is too long/i,
  // Anthropic: "input length and `max_tokens` exceed context limit: 198000 + 20000 > 200000".
  /exceeds? (?:the )?context (?:limit|window|length|size)/i,
  // OpenAI and what copies it: "This model's maximum context length is 128000 tokens"; xAI: "maximum prompt length is".
  /maximum (?:context|prompt|model) length (?:is|of)/i,
  // Responses: "Your input exceeds the context window of this model"; llama.cpp: "exceeds the available context size".
  /exceeds? the (?:model's |available |maximum )?(?:context|model) (?:window|length|size)/i,
  /context window exceeds limit/i,
  // Gemini: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"; Vertex.
  /input token count.{0,40}(?:exceeds the maximum|only supports up to)/i,
  /(?:input token count is \d+ but|request payload size exceeds the limit)/i,
  // vLLM and SGLang: "The decoder prompt (length 5000) is longer than the maximum model length of 4096".
  /is longer than the (?:maximum model length|model's context length)/i,
  // Mistral: "Prompt contains 35000 tokens …, too large for model with 32768 maximum context length".
  /too large for model with \d+ maximum context length/i,
  // Groq and Cerebras: "Please reduce the length of the messages"; limits of tokens a minute that one request exceeds.
  /reduce the length of (?:the messages|either one|your prompt)/i,
  /request too large for/i,
  // GitHub: "prompt token count of 150000 exceeds the limit of 128000"; Kimi: "exceeded model token limit".
  /prompt token count of \d+ exceeds/i,
  /exceeded model token limit/i,
  // TGI: "`inputs` tokens + `max_new_tokens` must be <= 8193"; LM Studio; DashScope; GLM.
  /`inputs` tokens \+ `max_new_tokens` must be <=/i,
  /context length of only \d+ tokens|greater than the context length/i,
  /range of input length should be/i,
  /prompt exceeds max length/i,
];

/** Codes and types of the same; Groq gives its own to a rate limit too, so that the words decide there. */
const codes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
  'request_too_large',
  'string_above_max_length',
]);

/** Statuses that say something else, whatever the words. */
const otherStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 409]);

/**
 * True if a server refuses a request because it is too long: for the context window of its model, or for the server
 * (SEMANTICS 125).
 * @param words types and codes that the server gives the error
 * @param said its message
 */
export function isTooLong(
  error: unknown,
  status: number | undefined,
  words: readonly string[],
  said: string,
): boolean {
  if (status === 413) return true;
  if (status !== undefined && otherStatuses.has(status)) return false;
  if (words.some((word) => codes.has(word))) return true;
  const text = `${said}\n${textFieldOf(error, 'responseBody') ?? ''}`;
  return refusals.some((refusal) => refusal.test(text));
}

/** Share where a server gives no numbers: the window is exceeded by little, because the request before fitted. */
const usualShare = 0.95;

/** Anthropic, where input and output exceed the window together. */
const sum = /(\d+) \+ (\d+) > (\d+)/;

/** Numbers that are not a part of a name. */
const standingAlone = /(?<![\w.-])\d[\d,]*(?![\w-])/g;

/** Least number that can be a count of tokens here. */
const fewestTokens = 1000;

/**
 * Share of a refused request that fits into the window, from 0.01 to 0.95: from the numbers in the refusal, such as
 * `212302 tokens > 200000 maximum`.
 */
export function shareThatFits(said: string): number {
  const [, input = 0, output = 0, window = 0] = (sum.exec(said) ?? []).map(Number);
  const share = input > 0 ? (window - output) / input : shareOfCounts(said);
  return Math.min(usualShare, Math.max(0.01, share));
}

/** The largest count is the request; the least of about its size is the limit, others are parts of the request. */
function shareOfCounts(said: string): number {
  const numbers = (said.match(standingAlone) ?? [])
    .map((text) => Number(text.replaceAll(',', '')))
    .filter(Number.isFinite);
  const largest = Math.max(0, ...numbers);
  const counts = numbers.filter((number) => number >= Math.max(fewestTokens, largest / 20));
  return counts.length < 2 ? usualShare : Math.min(...counts) / largest;
}
