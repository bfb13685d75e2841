import { isRecord } from '../../graph/json.js';

/** Count of tokens in a reply that is not a whole number of at least 0; `found` is undefined if it is missing. */
export interface UsageProblem {
  readonly name: string;
  readonly found: unknown;
  /** Number that counts in its place. */
  readonly counted: number;
}

export interface MendedLine {
  readonly line: string;
  readonly problems: readonly UsageProblem[];
}

/**
 * Makes the counts of tokens in a line of a stream whole numbers of at least 0: for others the library refuses the reply, which
 * is complete and paid for. A fraction is rounded up, a number in a text counts, anything else is 0.
 * @param line without its end
 */
export function mendUsage(line: string): MendedLine {
  const event = line.startsWith('data:') && line.includes('sage') ? parsed(line.slice(5)) : undefined;
  const problems = event === undefined ? [] : mendEvent(event);
  return { line: problems.length === 0 ? line : `data: ${JSON.stringify(event)}`, problems };
}

/** Describes counts that are lost; undefined if none is. @param provider its name */
export function describeUsageProblems(
  provider: string,
  problems: readonly UsageProblem[],
): string | undefined {
  const lost = problems.filter(({ counted }) => counted === 0);
  if (lost.length === 0) return undefined;
  const wrong = lost.filter(({ found }) => found !== undefined);
  if (wrong.length === 0)
    return `${provider} does not say how many tokens it used, so budgets do not count them`;
  const found = wrong.map((problem) => `${problem.name} is ${JSON.stringify(problem.found).slice(0, 50)}`);
  return `${provider} reported tokens that cannot be counted, so budgets do not count them: ${found.join(', ')}`;
}

type Fields = Record<string, unknown>;

/** A server in Python may write these, which are not JSON. */
const notJson = /(?<=[:[,]\s*)-?(?:NaN|Infinity)\b/g;

function parsed(text: string): Fields | undefined {
  for (const attempt of [text, text.replaceAll(notJson, '"not a number"')]) {
    try {
      const value: unknown = JSON.parse(attempt);
      return isRecord(value) ? value : undefined;
    } catch {
      // The library reports it.
    }
  }
  return undefined;
}

/** Mends an event in place: of Gemini, of OpenAI's chat, of its responses, of Anthropic. */
function mendEvent(event: Fields): readonly UsageProblem[] {
  const { type, message, response } = event;
  const problems: UsageProblem[] = [];
  mendUsageOf(event, 'usageMetadata', ['promptTokenCount'], problems);
  if (type === 'message_delta') mendUsageOf(withUsage(event), 'usage', ['output_tokens'], problems);
  else mendUsageOf(event, 'usage', ['prompt_tokens'], problems);
  if (type === 'message_start' && isRecord(message))
    mendUsageOf(withUsage(message), 'usage', ['input_tokens'], problems);
  if (isRecord(response)) mendUsageOf(response, 'usage', ['input_tokens', 'output_tokens'], problems);
  return problems;
}

/** The library needs usage here. */
function withUsage(owner: Fields): Fields {
  owner.usage ??= {};
  return owner;
}

/** @param required counts that the library needs, or in place of which it takes 0 */
function mendUsageOf(
  owner: Fields,
  name: string,
  required: readonly string[],
  problems: UsageProblem[],
): void {
  const found = owner[name];
  if (found === undefined || found === null) return;
  const usage: Fields = isRecord(found) ? found : {};
  if (!isRecord(found)) problems.push({ name, found, counted: 0 });
  mendCounts(usage, problems);
  for (const count of required) {
    if (usage[count] !== undefined && usage[count] !== null) continue;
    problems.push({ name: count, found: undefined, counted: 0 });
    usage[count] = 0;
  }
  owner[name] = usage;
}

const countName = /(?:_tokens|TokenCount|^tokenCount)$/;

/** Mends counts, also those in lists and groups of details. */
function mendCounts(usage: Fields, problems: UsageProblem[]): void {
  for (const [name, found] of Object.entries(usage)) {
    if (countName.test(name)) {
      if (found === null || isCount(found)) continue;
      const counted = countNear(found);
      usage[name] = counted;
      problems.push({ name, found, counted });
    } else if (Array.isArray(found)) {
      for (const member of found) if (isRecord(member)) mendCounts(member, problems);
    } else if (isRecord(found)) mendCounts(found, problems);
  }
}

/** Whole number for a fraction, or for a number in a text. */
function countNear(found: unknown): number {
  const isNumeric = typeof found === 'number' || (typeof found === 'string' && found.trim() !== '');
  const count = isNumeric ? Math.ceil(Number(found)) : 0;
  return isCount(count) ? count : 0;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
