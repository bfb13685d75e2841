import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Heartbeat } from '../../../src/cluster/dbos/heartbeat.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['before the first sign of life', 0],
  ['after one', 1],
  ['after several', 5],
])('a database that is lost %s is lost once, and found once', async (_when, beats) => {
  let isAway = false;
  const query = async () => {
    if (isAway) throw new Error('away');
    return { rows: [], rowCount: 1 };
  };
  const connection = { query, on() {}, removeListener() {}, release() {} };
  const database = { query, connect: async () => connection } as unknown as Pool;
  const said: string[] = [];
  const heartbeat = await Heartbeat.start({
    pool: database,
    ofBeats: database,
    id: 'w@host',
    labels: [],
    maxRuns: 1,
    maxStages: 1,
    runs: () => 0,
    stages: () => 0,
    isExecuted: () => true,
    onRecovered: () => undefined,
    onStranded: () => undefined,
    onStrangers: () => undefined,
    onTakenForDead: () => undefined,
    onProblem: (error) => said.push(`lost: ${String(error)}`),
    onAnswer: (ms) => said.push(`found after ${ms} ms`),
  });
  await vi.advanceTimersByTimeAsync(beats * 1000 + 500);
  isAway = true;
  await vi.advanceTimersByTimeAsync(4000);
  expect(said).toEqual(['lost: Error: away']);
  isAway = false;
  await vi.advanceTimersByTimeAsync(3000);
  expect(said).toEqual(['lost: Error: away', 'found after 4000 ms']);
  heartbeat.stop();
});
