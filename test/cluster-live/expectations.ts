import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { RunHistory } from '../../src/cluster/run-history.js';
import type { RunEvent } from '../../src/machine/event.js';
import { noteFile } from '../proof/crash/kill-pipelines.js';
import { attemptKey } from '../proof/crash/places.js';

type Outcome = Extract<RunEvent, { outcome: unknown }>;

/** What a run, and those that its stages have started, came to. */
export interface Settled {
  /** Time at which it was recorded, in milliseconds, by attempt: `<run id>/[<restart>/]<node>#<visit>.<attempt>`. */
  readonly times: ReadonlyMap<string, number>;
  /** The same attempts without the ids of runs, sorted. */
  readonly attempts: readonly string[];
}

/** Checks that the history says once of each attempt what it came to, and has no gap. */
export function settledOnce(history: RunHistory): Settled {
  const times = new Map<string, number>();
  const attempts: string[] = [];
  const runs = [['', history.run] as const, ...history.children];
  for (const [place, { manifest, events }] of runs) {
    const { run_id: runId } = JSON.parse(manifest);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    for (const { restart, event } of outcomesOf(events)) {
      const name = `${restart}${attemptKey(event)}`;
      // Branches count the visits of a node by themselves.
      const key = `${runId}/${name}`;
      expect(times.has(key), `${key} of ${event.branch}`).toBe(false);
      times.set(key, Date.parse(event.timestamp));
      attempts.push(`${place}/${name}`);
    }
  }
  return { times, attempts: attempts.sort() };
}

function outcomesOf(events: readonly RunEvent[]): readonly { restart: string; event: Outcome }[] {
  let restart = '';
  return events.flatMap((event) => {
    if (event.type === 'LoopRestarted') restart = `${event.directory}/`;
    return 'outcome' in event ? [{ restart, event }] : [];
  });
}

/** Notes that tools have left in the working directory: which attempt began when, in milliseconds. */
export function notesIn(directory: string): readonly { readonly key: string; readonly time: number }[] {
  const lines = readFileSync(path.join(directory, noteFile), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const [key = '', attempt, _pid, time] = line.split(' ');
    // A note whose tool was killed may be cut off.
    if (time === undefined) return [];
    const [runId, ...rest] = key.split('/');
    const visit = rest.pop();
    const restart = rest[0]?.startsWith('restart-') === true ? `${rest[0]}/` : '';
    return [{ key: `${runId}/${restart}${rest.at(-1)}#${visit}.${attempt}`, time: Number(time) }];
  });
}

/**
 * Checks that tools did their work before what it came to was recorded, and never after that.
 * @returns how often they did it more than once: where their worker died before it could be recorded
 */
export function expectNothingAgain(
  settled: ReadonlyMap<string, number>,
  notes: readonly { readonly key: string; readonly time: number }[],
): number {
  const done = new Set<string>();
  let again = 0;
  for (const { key, time } of notes) {
    expect(settled.get(key), `${key} at ${time}`).toBeGreaterThanOrEqual(time);
    if (done.has(key)) again += 1;
    done.add(key);
  }
  return again;
}
