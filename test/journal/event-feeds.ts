import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EventFeed } from '../../src/journal/event-feed.js';
import type { RunEvent } from '../../src/machine/event.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

export function eventNumbered(seq: number): RunEvent {
  return {
    seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    run_id: 'run',
    type: 'LogAppended',
    level: 'info',
    message: `${seq}`,
    description: `${seq}`,
  };
}

/** A feed with its journal; `bring` adds events to both, as a run does. */
export function feedOf(...past: readonly RunEvent[]) {
  const file = path.join(temporaryDirectory(), 'events.jsonl');
  writeFileSync(file, linesOf(past));
  const feed = new EventFeed(file);
  let seq = past.length;
  const bring = (count: number): void => {
    const events = Array.from({ length: count }, (_, index) => eventNumbered(seq + 1 + index));
    seq += count;
    appendFileSync(file, linesOf(events));
    for (const event of events) feed.push(event);
  };
  return { feed, bring, file };
}

export function linesOf(events: readonly RunEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

export async function seqsOf(events: AsyncIterable<RunEvent>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

export const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
