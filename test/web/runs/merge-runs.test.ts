import { describe, expect, it } from 'vitest';
import type { RunList, RunListEntry } from '../../../src/server/api/run.js';
import { mergeRuns, noOlderRuns } from '../../../src/web/runs/merge-runs.js';
import { firstRunsPath, nextRunsPath } from '../../../src/web/runs/run-list-path.js';
import { fc } from '../../support/fast-check.js';

/** A run by how late it began, in days of January. */
const run = (day: number, steps = 0): RunListEntry => ({
  id: `run-${day}`,
  name: 'r',
  goal: '',
  status: 'success',
  simulated: false,
  start_time: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
  duration_ms: 1,
  current_node: null,
  worker: null,
  waits_for: null,
  steps,
  cost_usd: null,
  tokens: null,
  open_questions: 0,
  only_asks: false,
  failure_reason: null,
});

const page = (days: readonly number[], next: string | null, steps = 0): RunList => ({
  runs: days.map((day) => run(day, steps)),
  next_cursor: next,
  counts: {},
});

const days = (runs: readonly RunListEntry[]): readonly number[] => runs.map(({ id }) => Number(id.slice(4)));

describe('pages of the list of runs', () => {
  it('are the first one, as long as nobody wants more', () => {
    const shown = mergeRuns(page([9, 8], 'c8'), noOlderRuns);
    expect([days(shown.runs), shown.cursor]).toEqual([[9, 8], 'c8']);
  });

  it('keep what was loaded after the first one, when new runs push it further back', () => {
    const older = { runs: [9, 8, 7, 6].map((day) => run(day)), cursor: 'c6' };
    const shown = mergeRuns(page([10, 9], 'c9'), older);
    expect([days(shown.runs), shown.cursor]).toEqual([[10, 9, 8, 7, 6], 'c6']);
  });

  it('take the latest word on each run', () => {
    const older = { runs: [run(9, 1), run(8, 1)], cursor: null };
    expect(mergeRuns(page([9], 'c9', 5), older).runs.map(({ steps }) => steps)).toEqual([5, 1]);
  });

  it('leave out what no longer matches', () => {
    const older = { runs: [9, 8, 7].map((day) => run(day)), cursor: 'c7' };
    expect(days(mergeRuns(page([9, 7], 'c7'), older).runs)).toEqual([9, 7]);
    expect(mergeRuns(page([], null), older)).toEqual({ runs: [], cursor: null });
    expect(mergeRuns(page([9], null), older)).toEqual({ runs: [run(9)], cursor: null });
  });

  it('show each run once, the newest first, whatever comes', () => {
    const list = fc.uniqueArray(fc.integer({ min: 1, max: 28 })).map((all) => all.sort((a, b) => b - a));
    fc.assert(
      fc.property(list, list, fc.boolean(), (first, behind, hasMore) => {
        const older = { runs: behind.map((day) => run(day)), cursor: 'c' };
        const shown = days(mergeRuns(page(first, hasMore ? 'next' : null), older).runs);
        expect(shown).toEqual([...new Set(shown)].sort((a, b) => b - a));
        expect(shown.slice(0, first.length)).toEqual(first);
      }),
    );
  });
});

describe('what is asked of the list', () => {
  const all = { search: '', status: undefined };

  it.each([
    [0, 50],
    [1, 50],
    [51, 100],
    [100, 100],
    [730, 200],
  ])('with %d runs shown, the first %d are renewed together', (shown, limit) => {
    expect(firstRunsPath(all, shown)).toBe(`pipelines?limit=${limit}`);
  });

  it('names the search as it was typed', () => {
    expect(nextRunsPath({ search: 'a&b=c #1', status: 'fail' }, 'x/y')).toBe(
      'pipelines?limit=50&cursor=x%2Fy&search=a%26b%3Dc+%231&status=fail',
    );
  });
});
