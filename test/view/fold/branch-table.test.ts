import { expect } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { emptyScript } from '../../../src/run-directory/simulation-script.js';
import { activeParallels } from '../../../src/view/active-stages.js';
import { apply } from '../../../src/view/fold/apply.js';
import { type BranchTable, countBranches, itemText } from '../../../src/view/fold/branch-table.js';
import { emptyView, narrowScope, type RunView } from '../../../src/view/fold/run-view.js';
import { jsonOf, pipeline, resumePipeline, runPipeline, type Setup, testEach } from '../../run/harness.js';

// The table of a list's items, made of events alone, says what parallel-results.json says.

function viewOf(events: readonly RunEvent[]): RunView {
  const view = emptyView({ ...narrowScope, rows: 1000, branches: true });
  for (const event of events) apply(view, event);
  return view;
}

function tableOf(events: readonly RunEvent[], nodeId: string): BranchTable {
  const table = viewOf(events).nodes.get(nodeId)?.latest.branches;
  if (table === undefined) throw new Error(`"${nodeId}" has no branches`);
  return table;
}

interface Result {
  readonly id: string;
  readonly item?: unknown;
  readonly status: string;
  readonly duration_ms: number;
}

function rowsOf(table: BranchTable) {
  return table.rows.map((row) => ({
    id: row?.branch,
    item: table.items?.[row?.index ?? -1],
    status: row?.state,
    duration_ms: row?.durationMs,
  }));
}

const each = (attributes: string, ...statements: readonly string[]) =>
  pipeline(
    `each [shape=component, foreach="\${inputs.files}", as=file, join=meet, ${attributes}]`,
    'look [prompt="Look at ${context.file}"]',
    'meet [shape=tripleoctagon]',
    'start -> each -> look -> meet -> exit',
    ...statements,
  );

interface Case extends Setup {
  readonly name: string;
  readonly dot: string;
  /** Resumed without the script that made it fail. */
  readonly resumed?: true;
  readonly results: readonly string[];
}

const files = ['a.ts', 'b.ts', 'c.ts'];

const cases: readonly Case[] = [
  {
    name: 'items with their results, in their order',
    dot: each('max_parallel=2'),
    inputs: { files },
    script: {
      look: [
        { context_updates: { lines: 3, verdict: 'good' } },
        { outcome: 'fail', failure_reason: 'it is\nempty' },
        { notes: 'well done' },
      ],
    },
    results: ['lines: 3 · verdict: good', 'it is empty', 'well done'],
  },
  {
    name: 'items of more than one event',
    dot: each('max_parallel=4'),
    inputs: { files: Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat(5000)}`) },
    results: [],
  },
  {
    name: 'an attempt that uses the items of the one before',
    dot: each('max_parallel=1, join_policy=first_success, max_retries=1, retry_policy=none'),
    inputs: { files: ['a.ts'] },
    script: { look: [{ outcome: 'fail', failure_reason: 'red' }, { context_updates: { lines: 1 } }] },
    results: ['lines: 1'],
  },
  {
    name: 'branches that stay when the run is resumed',
    dot: each('max_parallel=1, error_policy=fail_fast'),
    inputs: { files },
    script: { look: [{ context_updates: { lines: 1 } }, { outcome: 'fail', failure_reason: 'red' }] },
    resumed: true,
    results: ['lines: 1', 'Stage completed: look', 'Stage completed: look'],
  },
];

testEach(cases, async ({ dot, resumed, results, name: _name, ...setup }) => {
  const { directory, events } = await runPipeline(dot, setup);
  const more =
    resumed === undefined ? [] : (await resumePipeline(directory, {}, { script: emptyScript })).events;
  const table = tableOf([...events, ...more], 'each');
  const written: readonly Result[] = jsonOf(directory, 'each', 'parallel-results.json');
  expect(rowsOf(table)).toEqual(
    written.map(({ id, item, status, duration_ms }) => ({ id, item, status, duration_ms })),
  );
  if (results.length > 0) expect(table.rows.map((row) => row?.result)).toEqual(results);
  expect(table.rows.map((row) => row?.at?.nodeId)).toEqual(written.map(() => 'look'));
  expect([...countBranches(table).values()].reduce((sum, count) => sum + count, 0)).toBe(written.length);
});

testEach(
  [{ name: 'of branches of edges, their names stand for items; of other scopes nothing is kept' }],
  async () => {
    const dot = pipeline(
      'p [shape=component]',
      'j [shape=tripleoctagon]',
      'start -> p',
      'p -> a -> j',
      'p -> b -> j',
      'j -> exit',
    );
    const { events } = await runPipeline(dot);
    const table = tableOf(events, 'p');
    expect(table.items).toBeUndefined();
    expect(table.rows.map((row) => row && itemText(table, row))).toEqual(['a', 'b']);
    const narrow = emptyView();
    for (const event of events) apply(narrow, event);
    expect([narrow.tables.size, narrow.nodes.get('p')?.latest.branches]).toEqual([0, undefined]);
  },
);

testEach([{ name: 'an overview lists few of many branches, and counts them all' }], async () => {
  const many = Array.from({ length: 450 }, (_, index) => index);
  const script = { look: many.map((index) => ({ outcome: index === 7 ? 'fail' : 'success' })) };
  const { events } = await runPipeline(each('max_parallel=8'), { inputs: { files: many }, script });
  const view = emptyView();
  for (const event of events.slice(
    0,
    events.findIndex(({ type }) => type === 'ParallelCompleted'),
  ))
    apply(view, event);
  const [parallel] = activeParallels(view);
  expect(parallel).toMatchObject({ branch_count: 450, counts: { success: 449, fail: 1 } });
  expect(parallel?.branches).toHaveLength(200);
  expect(parallel?.branches[0]).toMatchObject({ branch: 'look#8', state: 'fail' });
});

testEach([{ name: 'the visit to a list stays in a short window, with its details' }], async () => {
  const { events } = await runPipeline(each('max_parallel=2'), { inputs: { files: [1, 2, 3, 4, 5, 6] } });
  const view = emptyView({ ...narrowScope, rows: 3, details: 2, branches: true });
  for (const event of events) apply(view, event);
  const kept = view.visits.visits.map(({ nodeId, details }) => [nodeId, details !== undefined]);
  expect(kept).toEqual([
    ['each', true],
    ['look', false],
    ['meet', true],
    ['exit', true],
  ]);
  expect(view.visits.omitted).toBe(6);
});
