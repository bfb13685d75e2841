import type { StageOutput, StageStarted } from '../../machine/event.js';
import type { OutputChannel } from '../../machine/progress.js';

/** A piece of what the model of a stage says while it is at it. */
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
}

/** By node: what the models of stages that run have said so far, the end of it where it is long. */
export type Streams = Map<string, Stream>;

/** A stage begins to say something again. */
export function beginText(streams: Streams, event: StageStarted): void {
  streams.set(event.node_id, begin(event));
}

/** A piece of what the model of a stage says comes in. @param longest how many characters are kept */
export function addText(streams: Streams, longest: number, event: StageOutput): void {
  if (longest === 0) return;
  const stream = streams.get(event.node_id) ?? begin(event);
  streams.set(event.node_id, stream);
  append(stream, { channel: event.channel, text: event.text }, longest);
}

/** Undefined where the stage does not run, or says nothing. */
export function textOf(streams: Streams, nodeId: string): Stream | undefined {
  const stream = streams.get(nodeId);
  return stream === undefined || stream.length === 0 ? undefined : stream;
}

function begin({ attempt, visit }: { readonly attempt: number; readonly visit: number }): Stream {
  return { attempt, visit, parts: [], length: 0, isCut: false };
}

function append(stream: Stream, part: TextPart, longest: number): void {
  const last = stream.parts.at(-1);
  // Pieces grow together, as there may be one a token; not without end, so that adding stays cheap.
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
