import type { RunEvent } from '../../../machine/event.js';
import type { OutputChannel } from '../../../machine/progress.js';

/** How much of a stage's stream is kept: the files of the stage have all of it once it has settled. */
export const longestText = 60_000;

/** A piece of what the model of a stage says while it is at it. */
export interface TextPart {
  readonly channel: OutputChannel;
  readonly text: string;
}

interface Stream {
  readonly attempt: number;
  readonly visit: number;
  parts: TextPart[];
  length: number;
  isCut: boolean;
}

/** What the models of stages that run have said so far, the end of it where it is long (§9.6, `StageOutput`). */
export class LiveText {
  readonly #streams = new Map<string, Stream>();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'StageStarted':
        this.#streams.set(event.node_id, begin(event));
        return;
      case 'StageOutput': {
        const stream = this.#streams.get(event.node_id) ?? begin(event);
        this.#streams.set(event.node_id, stream);
        return append(stream, { channel: event.channel, text: event.text });
      }
      case 'StageCompleted':
      case 'StageSkipped':
        this.#streams.delete(event.node_id);
        return;
      case 'StageFailed':
        if (!event.will_retry) this.#streams.delete(event.node_id);
        return;
      default:
        return;
    }
  }

  /** Undefined where the stage does not run, or says nothing. */
  of(nodeId: string): { readonly parts: readonly TextPart[]; readonly isCut: boolean } | undefined {
    const stream = this.#streams.get(nodeId);
    return stream === undefined || stream.length === 0 ? undefined : stream;
  }
}

function begin({ attempt, visit }: { readonly attempt: number; readonly visit: number }): Stream {
  return { attempt, visit, parts: [], length: 0, isCut: false };
}

function append(stream: Stream, part: TextPart): void {
  const last = stream.parts.at(-1);
  // Pieces grow together, as there may be one a token; not without end, so that adding stays cheap.
  if (last?.channel === part.channel && last.text.length < 2000) {
    stream.parts[stream.parts.length - 1] = { channel: part.channel, text: last.text + part.text };
  } else stream.parts.push(part);
  stream.length += part.text.length;
  if (stream.length <= 2 * longestText) return;
  while (stream.length > longestText && stream.parts.length > 1) {
    stream.length -= stream.parts.shift()?.text.length ?? 0;
    stream.isCut = true;
  }
  const [only] = stream.parts;
  if (stream.length > longestText && only !== undefined) {
    stream.parts = [{ channel: only.channel, text: only.text.slice(-longestText) }];
    stream.length = longestText;
    stream.isCut = true;
  }
}
