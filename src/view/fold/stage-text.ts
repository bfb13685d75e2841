import type { StageOutput } from '../../machine/event.js';
import type { OutputChannel } from '../../machine/progress.js';

/** Piece of a model's output while its stage is running. */
export interface TextPart {
  readonly channel: OutputChannel;
  readonly text: string;
}

/** Output of a model in one attempt; only the end of a long one. */
export interface Stream {
  parts: TextPart[];
  length: number;
  isCut: boolean;
  /** Text that no event has yet, in the process that executes the run. */
  ahead: TextPart;
  /** Length of the part that belongs to the latest request, which may be discarded. */
  latest: number;
  /** True after the end of a request: the next text belongs to another. */
  isClosed: boolean;
}

/** Output of an attempt that begins. */
export function emptyStream(): Stream {
  return {
    parts: [],
    length: 0,
    isCut: false,
    ahead: { channel: 'response', text: '' },
    latest: 0,
    isClosed: true,
  };
}

/**
 * Adds a piece of a model's output.
 * @param longest maximum of characters that are kept
 */
export function addText(stream: Stream, longest: number, event: StageOutput): void {
  stream.latest = (stream.isClosed ? 0 : stream.latest) + event.text.length;
  stream.isClosed = false;
  const { channel, text } = stream.ahead;
  stream.ahead = { channel, text: text.slice(event.text.length) };
  append(stream, { channel: event.channel, text: event.text }, longest);
}

/** Adds text that an event will bring later. */
export function addAhead(stream: Stream, { channel, text }: TextPart): void {
  stream.ahead = { channel, text: stream.ahead.text + text };
}

/** Ends the output of a request. */
export function closeText(stream: Stream): void {
  stream.isClosed = true;
}

/** Removes the output of the latest request, which comes again. */
export function discardText(stream: Stream): void {
  for (let rest = stream.latest; rest > 0; ) {
    const last = stream.parts.pop();
    if (last === undefined) break;
    const remainder = last.text.slice(0, Math.max(0, last.text.length - rest));
    stream.length -= last.text.length - remainder.length;
    rest -= last.text.length - remainder.length;
    if (remainder !== '') stream.parts.push({ channel: last.channel, text: remainder });
  }
  stream.latest = 0;
  stream.ahead = { ...stream.ahead, text: '' };
  stream.isClosed = true;
}

function append(stream: Stream, part: TextPart, longest: number): void {
  const last = stream.parts.at(-1);
  // Pieces are joined, because each may be a single token; up to a limit, so that adding stays cheap.
  if (last?.channel === part.channel && last.text.length < 2000) {
    stream.parts[stream.parts.length - 1] = { channel: part.channel, text: last.text + part.text };
  } else stream.parts.push(part);
  stream.length += part.text.length;
  if (stream.length <= 2 * longest) return;
  while (stream.length > longest && stream.parts.length > 1) {
    stream.length -= stream.parts.shift()?.text.length ?? 0;
    stream.isCut = true;
  }
  const [only] = stream.parts;
  if (stream.length > longest && only !== undefined) {
    stream.parts = [{ channel: only.channel, text: only.text.slice(-longest) }];
    stream.length = longest;
    stream.isCut = true;
  }
}

/** End of what the latest request has said without a change of channel: at least this many characters, if there are so many. */
export function latestText({ parts, latest, isClosed, ahead }: Stream, atLeast: number): string {
  const channel = ahead.text === '' ? parts.at(-1)?.channel : ahead.channel;
  let { text } = ahead;
  // Between two requests, text ahead is of the next one.
  let rest = isClosed && text !== '' ? 0 : latest;
  for (let index = parts.length - 1; index >= 0 && rest > 0 && text.trim().length < atLeast; index -= 1) {
    const part = parts[index];
    if (part === undefined || part.channel !== channel) break;
    text = part.text.slice(-rest) + text;
    rest -= part.text.length;
  }
  return text;
}
