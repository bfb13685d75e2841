/** First `count` characters, with `…` if that is not all; never half a character. */
export function headOf(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let characters = 0; characters < count && end < text.length; characters += 1)
    end += isPairAt(text, end) ? 2 : 1;
  return end >= text.length ? text : `${text.slice(0, end).trimEnd()}…`;
}

/** Last `count` characters, after `…` if that is not all: the end of an output matters most. */
export function tailOf(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let characters = 0; characters < count && start > 0; characters += 1)
    start -= isPairAt(text, start - 2) ? 2 : 1;
  return start <= 0 ? text : `…${text.slice(start).trimStart()}`;
}

/** Beginning and end, for a reason that begins with the event and ends with the cause. */
export function endsOf(text: string, count: number): string {
  if (headOf(text, count) === text) return text;
  const head = Math.floor(count / 3);
  return `${headOf(text, head).replace(/…$/, '')} ${tailOf(text, count - head)}`;
}

/** A long text by lines: the first, which says what happened, the last ones, which say why, and those between. */
export interface LongLines {
  readonly head: string;
  readonly between: readonly string[];
  readonly tail: string;
}

/** Undefined for a text that has at most two lines more than those that would be shown, or fewer. */
export function longLines(text: string, tail: number): LongLines | undefined {
  const [head = '', ...others] = text.split('\n');
  if (others.length <= tail + 2) return undefined;
  return { head, between: others.slice(0, -tail), tail: others.slice(-tail).join('\n') };
}

function isPairAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const next = text.charCodeAt(index + 1);
  return unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
}

/** Prose on one line. */
export function proseOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Lines on one line, with visible breaks. */
export function linesOf(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, '\\n')
    .replaceAll(/\s+/g, ' ');
}
