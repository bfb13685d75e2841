import type { StageOutput, StageStarted } from '../../machine/event.js';
import type { OutputChannel } from '../../machine/progress.js';

/** Piece of a model's output while its stage is running. */
export interface TextPart {
  readonly channel: OutputChannel;
  readonly text: string;
}

export interface Stream {
  readonly attempt: number;
  readonly visit: number;
  parts: TextPart[];
  length: number;
  isCut: boolean;
  /** Length of the part that belongs to the latest request, which may be discarded. */
  latest: number;
  /** True after the end of a request: the next text belongs to another. */
  isClosed: boolean;
}

/** Output of running stages' models so far, by node; only the end of a long one. */
export type Streams = Map<string, Stream>;

/** Resets the output of a stage that begins. */
export function beginText(streams: Streams, event: StageStarted): void {
  streams.set(event.node_id, begin(event));
}

/**
 * Adds a piece of a model's output.
 * @param longest maximum of characters that are kept
 */
export function addText(streams: Streams, longest: number, event: StageOutput): void {
  if (longest === 0) return;
  const stream = streams.get(event.node_id) ?? begin(event);
  streams.set(event.node_id, stream);
  stream.latest = (stream.isClosed ? 0 : stream.latest) + event.text.length;
  stream.isClosed = false;
  append(stream, { channel: event.channel, text: event.text }, longest);
}

/** Ends the output of a request. */
export function closeText(streams: Streams, nodeId: string): void {
  const stream = streams.get(nodeId);
  if (stream !== undefined) stream.isClosed = true;
}

/** Removes the output of the latest request, which comes again. */
export function discardText(streams: Streams, nodeId: string): void {
  const stream = streams.get(nodeId);
  if (stream === undefined) return;
  for (let rest = stream.latest; rest > 0; ) {
    const last = stream.parts.pop();
    if (last === undefined) break;
    const remainder = last.text.slice(0, Math.max(0, last.text.length - rest));
    stream.length -= last.text.length - remainder.length;
    rest -= last.text.length - remainder.length;
    if (remainder !== '') stream.parts.push({ channel: last.channel, text: remainder });
  }
  stream.latest = 0;
  stream.isClosed = true;
}

/** Output of a stage; undefined if the stage does not run, or has none. */
export function textOf(streams: Streams, nodeId: string): Stream | undefined {
  const stream = streams.get(nodeId);
  return stream === undefined || stream.length === 0 ? undefined : stream;
}

function begin({ attempt, visit }: { readonly attempt: number; readonly visit: number }): Stream {
  return { attempt, visit, parts: [], length: 0, isCut: false, latest: 0, isClosed: true };
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
