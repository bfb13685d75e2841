import type { RunView } from './fold/run-view.js';
import { latestText, type Stream } from './fold/stage-text.js';
import type { VisitRecord } from './fold/visit-record.js';

/**
 * What a stage under way does now, by its model:
 * - `waiting` after a failed request, or for another model
 * - `calling` a tool
 * - `thinking` after a tool has answered
 * - `saying` something: its last line so far
 */
export interface StageActivity {
  readonly kind: 'waiting' | 'calling' | 'thinking' | 'saying';
  /** A few words for people: `waiting 20 s after HTTP 429`, `edit_file src/math.ts`, `Now the tests pass`. */
  readonly text: string;
}

/** What a stage does now; undefined if that is not known, as of a command. */
export function stageActivity({ doing, calls, stream }: VisitRecord): StageActivity | undefined {
  if (doing !== undefined) return { kind: 'waiting', text: doing };
  const [, call] = calls.open.at(-1) ?? [];
  if (call !== undefined) return { kind: 'calling', text: call };
  if (calls.ended !== undefined) return { kind: 'thinking', text: `thinking after ${calls.ended}` };
  const text = stream === undefined ? '' : lastLine(stream);
  return text === '' ? undefined : { kind: 'saying', text };
}

/** Latest visit of a node that is under way: with several branches, the one whose model has said something. */
export function visitUnderWay(view: RunView, nodeId: string): VisitRecord | undefined {
  const visits = [...view.current.values()].filter((visit) => visit.nodeId === nodeId);
  return visits.findLast(({ stream }) => stream !== undefined && stream.length > 0) ?? visits.at(-1);
}

/** Characters of a model's output in which its last line is looked for, and those of the line that are kept: its end. */
const searched = 1000;
const lineKept = 300;

/** Last line that is not empty, without line breaks. */
function lastLine(stream: Stream): string {
  const trimmed = latestText(stream, searched).slice(-searched).trim();
  return trimmed
    .slice(trimmed.lastIndexOf('\n') + 1)
    .slice(-lineKept)
    .replaceAll(/\s+/g, ' ');
}
