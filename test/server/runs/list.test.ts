import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunListEntry } from '../../../src/server/api/run.js';
import { selectRuns } from '../../../src/server/runs/select-runs.js';
import { openRegistry, quick, untilStatus } from './harness.js';

/** However long a loaded machine takes. */
const patience = { timeout: 20_000 };

function entry(number: number, given: Partial<RunListEntry> = {}): RunListEntry {
  const id = `2026-${String(number).padStart(4, '0')}`;
  return {
    ...{
      id,
      name: 'Release',
      goal: 'ship it',
      status: 'success',
      simulated: false,
      duration_ms: 1,
      steps: 1,
    },
    start_time: new Date(Date.UTC(2026, 0, 1) + Math.floor(number / 3) * 1000).toISOString(),
    current_node: null,
    worker: null,
    waits_for: null,
    cost_usd: null,
    tokens: null,
    open_questions: 0,
    only_asks: false,
    failure_reason: null,
    ...given,
  };
}

const many = Array.from({ length: 50 }, (_, number) =>
  entry(number, number % 5 === 0 ? { status: 'fail' } : {}),
);

describe('§9.5 the list of runs', () => {
  test('page by page, every run once, the newest first, though others come in between', () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let runs = [...many].reverse();
    for (let page = 0; page < 20; page += 1) {
      const list = selectRuns(runs, { limit: 7, cursor });
      seen.push(...list.runs.map(({ id }) => id));
      runs = [...runs, entry(1000 + page)];
      if (list.next_cursor === null) break;
      cursor = list.next_cursor;
    }
    expect(seen).toEqual(many.map(({ id }) => id).reverse());
  });

  test.each([
    { query: { search: 'RELEASE' }, found: 2 },
    { query: { search: 'ship' }, found: 1 },
    { query: { search: '2026-0003' }, found: 1 },
    { query: { search: 'nothing' }, found: 0 },
    { query: { status: 'fail' as const }, found: 1 },
    { query: { search: 'release', status: 'fail' as const }, found: 1 },
    { query: { status: 'queued' as const }, found: 0 },
  ])('$query finds $found', ({ query, found }) => {
    const runs = [
      entry(1, { goal: '' }),
      entry(2, { status: 'fail' }),
      entry(3, { name: 'Other', goal: 'none' }),
    ];
    expect(selectRuns(runs, { limit: 10, ...query }).runs).toHaveLength(found);
  });

  test('the counts are of all that is searched for, whatever status is asked for', () => {
    expect(selectRuns(many, { limit: 1, status: 'fail' }).counts).toEqual({ success: 40, fail: 10 });
    expect(selectRuns(many, { limit: 1, search: '2026-0005' }).counts).toEqual({ fail: 1 });
  });

  test('a cursor that no list has given', () => {
    expect(() => selectRuns(many, { limit: 1, cursor: 'next' })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });

  test('what is not known of a run without reading all of it, and what is', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    cpSync(path.join(home, id), path.join(home, 'copied'), { recursive: true });
    const file = path.join(home, 'copied', 'result.json');
    const result = JSON.parse(readFileSync(file, 'utf8')) as object;
    const usage = { requests: 2, input_tokens: 100, output_tokens: 20, cost_usd: 0.5 };
    writeFileSync(file, JSON.stringify({ ...result, usage, duration_ms: 1234 }));
    await expect
      .poll(() => registry.list({ limit: 10, search: 'copied' }).runs[0], patience)
      .toMatchObject({ id: 'copied', status: 'success', cost_usd: 0.5, tokens: 120, duration_ms: 1234 });
  });

  test('a run whose process died between its last event and its checkpoint has ended', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    cpSync(path.join(home, id), path.join(home, 'copied'), { recursive: true });
    rmSync(path.join(home, 'copied', 'checkpoint.json'));
    rmSync(path.join(home, 'copied', 'result.json'));
    const runs = () => registry.list({ limit: 10, search: 'copied' }).runs;
    await expect.poll(runs, patience).toMatchObject([{ id: 'copied', status: 'success' }]);
    const journal = path.join(home, 'copied', 'events.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    writeFileSync(path.join(home, 'copied', 'note'), 'the directory has changed');
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n{"seq":`);
    await expect.poll(runs, patience).toMatchObject([{ id: 'copied', status: 'interrupted' }]);
  });
});
