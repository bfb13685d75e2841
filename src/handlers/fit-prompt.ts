import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { counted } from '../diagnostic/counted.js';
import type { JsonValue } from '../graph/json.js';
import { textOfValue } from '../graph/look-up.js';
import type { Template } from '../graph/templates.js';
import { backendCall } from './backend-call.js';
import type { CodergenBackend } from './codergen-backend.js';
import { type CountTokens, loadTokenCounter } from './count-tokens.js';
import { type Stage, StageCrash } from './handler.js';
import { holdTime } from './hold-time.js';
import { valueForStage } from './stage-values.js';
import { withoutSecrets } from './without-secrets.js';

/** Maximum of tokens that a value may have in a prompt, and that all values of a prompt may have (SEMANTICS 104). */
const longestValue = 20_000;
const longestTogether = 60_000;

/** Tokens below which a value is never left out: the line in its place would not be shorter. */
const smallestSaving = 100;

/** Value in a prompt. */
export interface PromptValue {
  /** Path by which the author named it. */
  readonly path: string;
  readonly value: JsonValue;
  readonly text: string;
}

export type PromptPart = string | PromptValue;

/**
 * Parts of a prompt, with the values that the stage sees.
 * @throws StageCrash under strict values, if one is missing
 */
export function promptParts(stage: Stage, { text, parts }: Template): readonly PromptPart[] {
  if (parts.length === 0) return [text];
  const known = new Map<string, PromptValue>();
  return parts.map((part) => {
    if (part.kind !== 'value') return part.text;
    const before = known.get(part.path);
    if (before !== undefined) return before;
    const value = valueForStage(stage, part.path);
    const given = { path: part.path, value, text: textOfValue(value) };
    known.set(part.path, given);
    return given;
  });
}

/**
 * Prompt with its values (SEMANTICS 104). One that is too long comes in a file of the stage, and the prompt says so in its
 * place: nothing is cut.
 * @throws StageCrash if that is necessary, and the backend reads no files
 */
export async function fitPrompt(
  stage: Stage,
  parts: readonly PromptPart[],
  backend: CodergenBackend | undefined,
): Promise<string> {
  const inFiles = isShort(parts) ? [] : tooLong(parts, await holdTime(stage, loadTokenCounter()));
  const places = new Map<PromptValue, string>();
  if (inFiles.length > 0) {
    const canRead =
      backend === undefined ||
      (await backend.readsFiles?.(stage.node, backendCall(stage, stage.routes))) === true;
    if (!canRead) throw unreadable(stage, inFiles);
    for (const value of inFiles) places.set(value, leaveFile(stage, value));
  }
  return parts.map((part) => (typeof part === 'string' ? part : (places.get(part) ?? part.text))).join('');
}

/** True for values that are short enough whatever their tokens are: a token has at least one byte. */
function isShort(parts: readonly PromptPart[]): boolean {
  let total = 0;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const bytes = bytesOf(part.text);
    total += bytes;
    if (bytes > longestValue || total > longestTogether) return false;
  }
  return true;
}

/** Values that do not fit: those above the limit of a value, then the longest until the rest is short enough. */
function tooLong(parts: readonly PromptPart[], count: CountTokens): readonly PromptValue[] {
  const uses = new Map<PromptValue, number>();
  for (const part of parts) if (typeof part !== 'string') uses.set(part, (uses.get(part) ?? 0) + 1);
  const sizes = [...uses].map(([value, times]) => {
    const tokens = tokensOf(value.text, count);
    return { value, tokens, all: tokens * times };
  });
  const inFiles = sizes.filter(({ tokens }) => tokens > longestValue);
  const rest = sizes
    .filter(({ tokens }) => tokens <= longestValue)
    .toSorted((one, other) => other.all - one.all);
  let total = rest.reduce((sum, { all }) => sum + all, 0);
  for (const size of rest) {
    if (total <= longestTogether || size.tokens < smallestSaving) break;
    inFiles.push(size);
    total -= size.all;
  }
  return inFiles.map(({ value }) => value);
}

function bytesOf(text: string): number {
  return utf8ToBytes(text).length;
}

/** Characters that are counted at once: the tokenizer needs quadratic time for a long word. */
const piece = 1000;

/** Tokens of a text, counted in pieces that begin with a blank where there is one; counting ends above the limit of a value. */
function tokensOf(text: string, count: CountTokens): number {
  let tokens = 0;
  for (let start = 0; start < text.length && tokens <= longestValue; ) {
    const end = endOfPiece(text, start);
    tokens += count(text.slice(start, end));
    start = end;
  }
  return tokens;
}

function endOfPiece(text: string, start: number): number {
  const end = start + piece;
  if (end >= text.length) return text.length;
  for (let at = end; at > start; at -= 1) if (/\s/.test(text[at] ?? '')) return at;
  return end;
}

/** Name of a file with a value that is too long for its prompt. */
export const valueFileName = /^value-[0-9a-f]{16}\.(?:txt|json)$/;

/**
 * Puts a value into a file of the stage, whose name follows from its content: it is the same when the stage runs again.
 * @returns the text in its place
 */
function leaveFile(stage: Stage, { path: name, value, text }: PromptValue): string {
  const isJson = typeof value === 'object';
  // A line for each member, so that parts of it can be read and found.
  const content = isJson
    ? `${JSON.stringify(stage.redactor?.json(value) ?? value, null, 2)}\n`
    : withoutSecrets(stage, text);
  const file = `value-${bytesToHex(sha256(utf8ToBytes(content))).slice(0, 16)}.${isJson ? 'json' : 'txt'}`;
  stage.writeFile(file, content);
  const lines = counted(content.split('\n').length - (content.endsWith('\n') ? 1 : 0), 'line');
  const place = `${stage.stageDirectory}/${file}`;
  return `[\${${name}} is too long for this prompt: ${bytesOf(content)} bytes${isJson ? ' of JSON' : ''}, ${lines}. All of it is in the file ${JSON.stringify(place)}; read or search there what your task needs.]`;
}

function unreadable({ node }: Stage, values: readonly PromptValue[]): StageCrash {
  const named = values.map(({ path: name, text }) => `\${${name}} (${bytesOf(text)} bytes)`).join(', ');
  const [are, them] = values.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return new StageCrash(
    `in the prompt of "${node.id}", ${named} ${are} too long: at most ${longestValue} tokens of a value and ${longestTogether} of all values fit, and this stage cannot read ${them} from a file; give it the tool read_file, or pass on only the part that it needs`,
    { retryable: false, failure_category: 'terminal' },
  );
}
