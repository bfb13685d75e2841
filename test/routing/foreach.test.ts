import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import type { Handler } from '../../src/handlers/handler.js';
import type { BranchResult } from '../../src/machine/state.js';
import {
  eventsOf,
  fileOf,
  fileSystemOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  testEach,
} from '../run/harness.js';

/** One stage for each item of the input `files`, and a join that keeps the results. */
const each = (attributes = '', ...more: readonly string[]) =>
  pipeline(
    `map [shape=component, foreach="\${inputs.files}", join=end${attributes && `, ${attributes}`}]`,
    'node [type=custom]',
    'work; end',
    'start -> map -> work -> end -> exit',
    ...more,
  );

const custom = (execute: Handler['execute'], files: JsonValue = ['a', 'b', 'c']): Setup => ({
  inputs: { files },
  handlers: { custom: execute },
});

const resultsIn = ({ result }: PipelineRun) =>
  result.context['parallel.results'] as unknown as readonly BranchResult[];

describe('106: a list becomes branches', () => {
  test('106: every item is a branch with its item and its index, in the order of the items', async () => {
    const seen: unknown[] = [];
    const run = await runPipeline(
      each(),
      custom(({ node, context }) => {
        if (node.id === 'work') seen.push([context.get('item'), context.get('work.index')]);
        return { status: 'success', context_updates: { seen: `${context.get('item')}!` } };
      }),
    );
    expect(run.result.status).toBe('success');
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
    expect(run.result.path).toEqual(['start', 'map', 'work', 'work', 'work', 'end', 'exit']);
    expect(resultsIn(run)).toMatchObject([
      { id: 'work#1', item: 'a', status: 'success', context_updates: { seen: 'a!' } },
      { id: 'work#2', item: 'b', status: 'success', context_updates: { seen: 'b!' } },
      { id: 'work#3', item: 'c', status: 'success', context_updates: { seen: 'c!' } },
    ]);
    expect(run.result.context).toMatchObject({ 'parallel.items': 3, 'parallel.count': 3 });
    expect(run.result.context).not.toHaveProperty('item');
    expect(eventsOf(run.events, 'ParallelStarted')).toMatchObject([
      { branch_count: 3, items: ['a', 'b', 'c'], join: 'end' },
    ]);
    expect(eventsOf(run.events, 'ParallelBranchStarted').map(({ branch }) => branch)).toEqual([
      'work#1',
      'work#2',
      'work#3',
    ]);
    expect(jsonOf(run.directory, 'work', 'branch-2', 'status.json')).toMatchObject({ outcome: 'success' });
    expect(jsonOf(run.directory, 'map', 'parallel-results.json')).toHaveLength(3);
  });
});

describe('106: the list', () => {
  const policies = ['wait_all', 'k_of_n', 'quorum', 'first_success'];
  test.each(policies)(
    '106: without items is a success under %s, and a fan-in chooses nothing',
    async (policy) => {
      const dot = pipeline(
        `map [shape=component, foreach="\${inputs.files}", join_policy=${policy}, join_k=2]`,
        'best [shape=tripleoctagon]',
        'start -> map -> work -> best -> exit; work',
      );
      const { result, events } = await runPipeline(dot, { inputs: { files: [] } });
      expect(result).toMatchObject({ status: 'success', path: ['start', 'map', 'best', 'exit'] });
      expect(result.context).toMatchObject({
        'parallel.items': 0,
        'parallel.count': 0,
        'parallel.fan_in.best_id': null,
        'parallel.fan_in.best': null,
      });
      expect(eventsOf(events, 'ParallelStarted')).toMatchObject([{ branch_count: 0, items: [] }]);
      expect(eventsOf(events, 'StageCompleted').map(({ outcome }) => outcome.notes)).toEqual(
        expect.arrayContaining(['the list has no items', 'There is no candidate: the list has no items']),
      );
    },
  );

  test('106, 53a: a second fan-in after an empty list has no results; nor has one after branches that are no items', async () => {
    const second = pipeline(
      'map [shape=component, foreach="${inputs.files}"]',
      'best [shape=tripleoctagon]; again [shape=tripleoctagon]; work',
      'start -> map -> work -> best -> again -> exit',
    );
    const once = await runPipeline(second, { inputs: { files: [] } });
    expect(once.result).toMatchObject({ status: 'fail', failed_node: 'again' });
    const later = pipeline(
      'map [shape=component, foreach="${inputs.files}", join=fan]; fan [shape=component, error_policy=ignore]',
      'best [shape=tripleoctagon]; work; a; b',
      'start -> map -> work -> fan; fan -> a -> best; fan -> b -> best; best -> exit',
    );
    const fail = { outcome: 'fail', failure_reason: 'red' };
    const ignored = await runPipeline(later, { inputs: { files: [] }, script: { a: fail, b: fail } });
    expect(ignored.result).toMatchObject({ status: 'fail', failed_node: 'best' });
    expect(ignored.result.context['parallel.items']).toBeNull();
  });

  const lists: readonly {
    readonly name: string;
    readonly files: JsonValue | undefined;
    readonly found: string;
  }[] = [
    { name: 'a text', files: 'a.ts\nb.ts', found: 'is the text "a.ts\\nb.ts"' },
    { name: 'a text in which a list is written', files: '["a"] ', found: 'is the text "[\\"a\\"] "' },
    { name: 'a map', files: { a: 1 }, found: 'is the map {"a":1}' },
    { name: 'a number', files: 3, found: 'is the number 3' },
    { name: 'null', files: null, found: 'is null' },
    { name: 'nothing', files: undefined, found: 'has no value' },
  ];
  testEach(lists, async ({ files, found }) => {
    const { result, events } = await runPipeline(each('max_retries=3'), {
      inputs: files === undefined ? {} : { files },
      handlers: { custom: () => ({ status: 'success' }) },
    });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'map',
      failure_reason: `"map" runs a branch for each item of a list, but \`foreach="\${inputs.files}"\` ${found}; set it to a JSON list, such as ["a", "b"], in an earlier stage or as an input`,
    });
    expect(eventsOf(events, 'StageFailed')).toMatchObject([
      { will_retry: false, outcome: { failure_category: 'terminal' } },
    ]);
    expect(eventsOf(events, 'ParallelStarted')).toEqual([]);
  });

  test('106: a list of a million items is refused at once, with their number', async () => {
    const { result, events } = await runPipeline(
      each(),
      custom(
        () => ({ status: 'success' }),
        Array.from({ length: 1_000_000 }, () => 0),
      ),
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: 'map' });
    expect(result.failure_reason).toBe(
      '"map" runs a branch for each item of a list, but `foreach="${inputs.files}"` has 1000000 items; a run can have 100000 branches of one list: make lists of parts, and start a run or a child pipeline for each',
    );
    expect(eventsOf(events, 'ParallelItems')).toEqual([]);
  });

  test('106: a list that is none is a failure like any other: retry targets and on_failure hold', async () => {
    const { result } = await runPipeline(
      each('on_failure=continue'),
      custom(() => ({ status: 'success' }), 'none'),
    );
    expect(result).toMatchObject({
      status: 'success',
      quality: 'degraded',
      path: ['start', 'map', 'end', 'exit'],
    });
  });

  test('106: a list whose file is lost fails the node, and the run can be resumed', async () => {
    const dot = pipeline(
      'node [type=custom]',
      'map [shape=component, type="", foreach="${context.files}", join=end]',
      'list; check; work; end',
      'start -> list -> check -> map -> work -> end -> exit',
    );
    const files = Array.from({ length: 20_000 }, (_, index) => `file ${index}`);
    const execute =
      (isChecked: boolean): Handler['execute'] =>
      ({ node: { id } }) => {
        if (id === 'check' && !isChecked) return { status: 'fail', failure_reason: 'not yet' };
        return id === 'list' ? { status: 'success', context_updates: { files } } : { status: 'success' };
      };
    const first = await runPipeline(dot, { handlers: { custom: execute(false) } });
    const disk = fileSystemOf(first.directory);
    for (const name of disk.readdir(path.join(first.directory, 'artifacts')))
      if (name.includes('files')) disk.rm(path.join(first.directory, 'artifacts', name));
    const { result } = await resumePipeline(first.directory, { handlers: { custom: execute(true) } });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'map' });
    expect(result.failure_reason).toMatch(/list\.\d+\.1\.context\.files/);
  });

  test('106: a simulation without a list has one item, into which paths lead without a warning', async () => {
    const dot = pipeline(
      'map [shape=component, foreach="${context.found.files}", join=end]',
      'work [prompt="Review ${context.item.name}: ${context.item}"]; end',
      'start -> map -> work -> end -> exit',
    );
    const { result, events, directory } = await runPipeline(dot, { simulate: true, strictValues: true });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'map', 'work', 'end', 'exit'] });
    expect(result.context['parallel.results']).toMatchObject([{ id: 'work#1', item: '[Simulated] item' }]);
    expect(fileOf(directory, 'work', 'branch-1', 'prompt.md')).toContain('Review : [Simulated] item');
    expect(eventsOf(events, 'LogAppended').filter(({ level }) => level === 'warning')).toEqual([]);
  });

  test('106: under --simulate a list that is there is used', async () => {
    const { result } = await runPipeline(each().replace('node [type=custom]', ''), {
      simulate: true,
      inputs: { files: ['a', 'b'] },
    });
    expect(resultsIn({ result } as PipelineRun)).toMatchObject([{ item: 'a' }, { item: 'b' }]);
  });

  test('106: any JSON is an item, also what is written as code', async () => {
    const items = ['$(rm -rf /)', '<b>', '${context.x}', null, 3, [1], { __proto__: null, a: { b: 1 } }, ''];
    const seen: unknown[] = [];
    const run = await runPipeline(
      each(),
      custom(({ node, context }) => {
        if (node.id === 'work') seen.push(context.get('item'));
        return { status: 'success' };
      }, items),
    );
    expect(seen).toEqual(JSON.parse(JSON.stringify(items)));
    expect(resultsIn(run).map(({ item }) => item)).toEqual(JSON.parse(JSON.stringify(items)));
  });

  test('106: a long list is in several events, each of at most 256 KB', async () => {
    const files = Array.from({ length: 4000 }, (_, index) => `${'src/'.repeat(20)}${index}.ts`);
    const run = await runPipeline(
      each('max_parallel=64'),
      custom(() => ({ status: 'success' }), files),
    );
    const parts = eventsOf(run.events, 'ParallelItems');
    const [started] = eventsOf(run.events, 'ParallelStarted');
    expect(parts.length).toBeGreaterThan(1);
    expect([...parts.flatMap(({ items }) => items), ...(started?.items ?? [])]).toEqual(files);
    expect(Math.max(...run.events.map((event) => JSON.stringify(event).length))).toBeLessThan(256 * 1024);
    expect(resultsIn(run).map(({ item }) => item)).toEqual(files);
    expect(resultsIn(run).at(-1)).toMatchObject({ id: 'work#4000', status: 'success' });
  });

  test('106: large items are artifacts, which the branches get whole', async () => {
    const files = Array.from({ length: 30 }, (_, index) => ({ name: `f${index}`, text: 'x'.repeat(20_000) }));
    const sizes: number[] = [];
    const run = await runPipeline(
      each(),
      custom(({ node, context }) => {
        const item = context.get('item') as { name: string; text: string };
        if (node.id === 'work') sizes.push(item.text.length);
        return { status: 'success' };
      }, files),
    );
    expect(sizes).toEqual(files.map(() => 20_000));
    const items = [
      ...eventsOf(run.events, 'ParallelItems').flatMap((part) => part.items),
      ...(eventsOf(run.events, 'ParallelStarted')[0]?.items ?? []),
    ];
    expect(items[7]).toMatchObject({
      name: 'f7',
      text: { $artifact: expect.any(String), size_bytes: 20_002 },
    });
    expect(Math.max(...run.events.map((event) => JSON.stringify(event).length))).toBeLessThan(256 * 1024);
  });
});

describe('106: the branches of items', () => {
  test('106: their stages cannot change the item', async () => {
    const run = await runPipeline(
      each(),
      custom(({ context }) => ({
        status: 'success',
        context_updates: {
          item: 'mine',
          'item.name': 'mine',
          'work.index': 7,
          seen: context.get('item') ?? null,
        },
      })),
    );
    expect(resultsIn(run)[1]?.context_updates).toEqual({ seen: 'b' });
    expect(eventsOf(run.events, 'LogAppended').map(({ message }) => message)).toContain(
      '"work" sets "item", "item.name", "work.index", but no stage can change the item of its branch; the update is ignored',
    );
  });

  test('106: an assignment cannot change the item either', async () => {
    const run = await runPipeline(
      each('', 'work ["assign.item"="mine", "assign.kept"="${context.item}"]'),
      custom(() => ({ status: 'success' })),
    );
    expect(resultsIn(run)[1]?.context_updates).toEqual({ kept: 'b' });
    expect(eventsOf(run.events, 'LogAppended').map(({ message }) => message)).toContain(
      '"work" sets "item", but no stage can change the item of its branch; the update is ignored',
    );
  });

  test('106: one after the other with max_parallel=1', async () => {
    const order: string[] = [];
    await runPipeline(
      each('max_parallel=1', 'more; work -> more [weight=1]; more -> end'),
      custom(async ({ node, context, sleep }) => {
        order.push(`${node.id} ${context.get('item') ?? ''}`);
        await sleep(10);
        return { status: 'success' };
      }),
    );
    expect(order).toEqual(['work a', 'more a', 'work b', 'more b', 'work c', 'more c', 'end ']);
  });

  interface PolicyCase {
    readonly name: string;
    readonly attributes: string;
    readonly failing: readonly string[];
    readonly status: string;
    readonly results: readonly string[];
  }
  const policyCases: readonly PolicyCase[] = [
    {
      name: 'wait_all',
      attributes: '',
      failing: ['c'],
      status: 'partial_success',
      results: ['success', 'success', 'fail', 'success', 'success'],
    },
    {
      name: 'k_of_n met',
      attributes: 'join_policy=k_of_n, join_k=4',
      failing: ['c'],
      status: 'success',
      results: ['success', 'success', 'fail', 'success', 'success'],
    },
    {
      name: 'k_of_n missed',
      attributes: 'join_policy=k_of_n, join_k=5',
      failing: ['c'],
      status: 'fail',
      results: ['success', 'success', 'fail', 'success', 'success'],
    },
    {
      name: 'quorum',
      attributes: 'join_policy=quorum, join_quorum=1',
      failing: ['c'],
      status: 'fail',
      results: ['success', 'success', 'fail', 'success', 'success'],
    },
    {
      name: 'first_success',
      attributes: 'join_policy=first_success, max_parallel=1',
      failing: ['a'],
      status: 'success',
      results: ['fail', 'success', 'skipped', 'skipped', 'skipped'],
    },
    {
      name: 'fail_fast',
      attributes: 'error_policy=fail_fast, max_parallel=1',
      failing: ['c'],
      status: 'fail',
      results: ['success', 'success', 'fail', 'skipped', 'skipped'],
    },
    {
      name: 'ignore',
      attributes: 'error_policy=ignore',
      failing: ['c'],
      status: 'success',
      results: ['success', 'success', 'success', 'success'],
    },
  ];
  testEach(policyCases, async ({ attributes, failing, status, results }) => {
    const run = await runPipeline(
      each(`on_failure=continue, ${attributes || 'join_policy=wait_all'}`),
      custom(
        ({ context }) =>
          failing.includes(String(context.get('item')))
            ? { status: 'fail', failure_reason: 'red', retryable: false }
            : { status: 'success' },
        ['a', 'b', 'c', 'd', 'e'],
      ),
    );
    const map = run.events.find((event) => 'outcome' in event && event.node_id === 'map');
    expect(map).toMatchObject({ outcome: { status } });
    expect(resultsIn(run).map((result) => result.status)).toEqual(results);
    if (status === 'fail')
      expect(map).toMatchObject({
        outcome: { failure_reason: expect.stringContaining('branch "work#3" failed: red') },
      });
  });

  test('106: loops, retries and max_visits are counted for each item', async () => {
    const dot = each(
      '',
      'work [max_visits=3, max_retries=1]; check [shape=diamond]',
      'work -> check [weight=1]; check -> work [condition="context.again=yes"]; check -> end [condition="context.again!=yes"]',
    );
    const visits = new Map<string, number>();
    const run = await runPipeline(
      dot,
      custom(({ node, context, attempt }) => {
        if (node.id !== 'work') return { status: 'success' };
        const item = String(context.get('item'));
        if (attempt === 1 && item === 'b') return { status: 'retry', failure_reason: 'once more' };
        visits.set(item, (visits.get(item) ?? 0) + 1);
        return { status: 'success', context_updates: { again: visits.get(item) === 3 ? 'no' : 'yes' } };
      }),
    );
    expect(run.result.status).toBe('success');
    expect(Object.fromEntries(visits)).toEqual({ a: 3, b: 3, c: 3 });
    expect(
      resultsIn(run).map(({ completed_nodes }) => completed_nodes.filter((id) => id === 'work').length),
    ).toEqual([3, 3, 3]);
  });

  test('106: max_steps counts for each branch, and the parallel node as one step', async () => {
    const files = Array.from({ length: 20 }, (_, index) => index);
    const dot = each('', 'more; work -> more [weight=1]; more -> end');
    const enough = await runPipeline(dot, { ...custom(() => ({ status: 'success' }), files), maxSteps: 2 });
    expect(enough.result.status).toBe('success');
    const tooFew = await runPipeline(dot, { ...custom(() => ({ status: 'success' }), files), maxSteps: 1 });
    expect(tooFew.result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('the branch "work#1" has executed 1 stage'),
    });
  });

  test('106: nested lists, each item in scope under its own name', async () => {
    const dot = pipeline(
      'node [type=custom]',
      'outer [shape=component, type="", foreach="${inputs.teams}", as=team, join=end]',
      'inner [shape=component, type="", foreach="${context.team.members}", as=member, join=sum]',
      'greet; sum; end',
      'start -> outer -> inner -> greet -> sum -> end -> exit',
    );
    const seen: unknown[] = [];
    const run = await runPipeline(dot, {
      inputs: {
        teams: [
          { name: 'x', members: ['a', 'b'] },
          { name: 'y', members: [] },
          { name: 'z', members: ['c'] },
        ],
      },
      handlers: {
        custom: ({ node, context }) => {
          const team = context.get('team') as { name: string } | undefined;
          if (node.id === 'greet') seen.push([team?.name, context.get('member'), context.get('work.index')]);
          if (node.id === 'sum')
            seen.push([
              team?.name,
              context.get('parallel.items'),
              context.get('member') ?? null,
              context.get('work.index'),
            ]);
          return { status: 'success' };
        },
      },
    });
    expect(run.result.status).toBe('success');
    expect(seen).toEqual(
      expect.arrayContaining([
        ['x', 'a', 0],
        ['x', 'b', 1],
        ['z', 'c', 0],
        ['x', 2, null, 0],
        ['y', 0, null, 1],
        ['z', 1, null, 2],
      ]),
    );
    expect(seen).toHaveLength(6);
    expect(eventsOf(run.events, 'ParallelBranchStarted').map(({ branch }) => branch)).toEqual(
      expect.arrayContaining(['inner#1', 'inner#1/greet#2', 'inner#3/greet#1']),
    );
    expect(jsonOf(run.directory, 'greet', 'branch-1', 'branch-2', 'status.json')).toMatchObject({
      outcome: 'success',
    });
  });

  test('106: a retry of the parallel node uses its list again, a new visit reads it anew', async () => {
    const dot = pipeline(
      'node [type=custom]',
      'map [shape=component, type="", foreach="${context.files}", join=end, join_policy=quorum, join_quorum=1, max_retries=1]',
      'list; work; end',
      'start -> list -> map -> work -> end; end -> list [condition="context.round=1"]; end -> exit [condition="context.round=2"]',
    );
    let round = 0;
    const items: unknown[] = [];
    const run = await runPipeline(dot, {
      handlers: {
        custom: ({ node, context }) => {
          if (node.id === 'list') {
            round += 1;
            return { status: 'success', context_updates: { round, files: round === 1 ? ['a', 'b'] : ['c'] } };
          }
          if (node.id !== 'work') return { status: 'success' };
          items.push(context.get('item'));
          return items.length === 2 ? { status: 'fail', failure_reason: 'red' } : { status: 'success' };
        },
      },
    });
    expect(run.result.status).toBe('success');
    expect(items).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(eventsOf(run.events, 'ParallelStarted')).toMatchObject([
      { attempt: 1, branch_count: 2, items: ['a', 'b'] },
      { attempt: 2, branch_count: 2 },
      { attempt: 1, branch_count: 1, items: ['c'] },
    ]);
    expect(eventsOf(run.events, 'ParallelStarted')[1]).not.toHaveProperty('items');
  });
});

describe('106: resuming', () => {
  test('106: keeps the branches that ended, and the list, also with other inputs', async () => {
    const dot = each('join_policy=quorum, join_quorum=1');
    const ran: string[] = [];
    const execute =
      (broken: string): Handler['execute'] =>
      ({ node, context }) => {
        if (node.id !== 'work') return { status: 'success' };
        ran.push(`${context.get('item')} ${context.get('work.index')}`);
        return context.get('item') === broken
          ? { status: 'fail', failure_reason: 'red' }
          : { status: 'success' };
      };
    const first = await runPipeline(dot, custom(execute('b')));
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'map' });
    const { result, events } = await resumePipeline(first.directory, {
      inputs: { files: ['x', 'y', 'z', 'more'], item: 'an input' },
      handlers: { custom: execute('') },
    });
    expect(result.status).toBe('success');
    expect(ran).toEqual(['a 0', 'b 1', 'c 2', 'b 1']);
    expect(eventsOf(events, 'ParallelStarted')).toMatchObject([{ branch_count: 3, kept: 2 }]);
    expect(result.context['parallel.results']).toMatchObject([
      { item: 'a' },
      { item: 'b', status: 'success' },
      { item: 'c' },
    ]);
  });

  test('106: of a run that was interrupted in its branches does not read the list again', async () => {
    const ran: string[] = [];
    const execute =
      (waits: boolean): Handler['execute'] =>
      ({ node, context, signal }) => {
        if (node.id !== 'work') return { status: 'success' };
        const item = String(context.get('item'));
        ran.push(item);
        if (!waits || item === 'a') return { status: 'success' };
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      };
    const pausing = new AbortController();
    const first = await runPipeline(each('max_parallel=2'), {
      ...custom(execute(true)),
      pauseSignal: pausing.signal,
      onEvent: (event) => {
        if (event.type === 'ParallelBranchStarted' && event.index === 2)
          pausing.abort({ mode: 'now', reason: 'lunch' });
      },
    });
    expect(first.result.status).toBe('paused');
    const { result, events } = await resumePipeline(first.directory, {
      inputs: { files: ['x'] },
      handlers: { custom: execute(false) },
    });
    expect(result.status).toBe('success');
    expect([...ran].sort()).toEqual(['a', 'b', 'b', 'c', 'c']);
    expect(eventsOf(events, 'ParallelStarted')).toEqual([]);
    expect(result.context['parallel.results']).toMatchObject([{ item: 'a' }, { item: 'b' }, { item: 'c' }]);
  });
});

describe('106: gates in the branches of items', () => {
  const dot = pipeline(
    'map [shape=component, foreach="${inputs.files}", join=end, max_parallel=5]',
    'ok [shape=hexagon, label="Ship ${context.item}?"]',
    'ship [type=custom]; fix [type=custom]; end [type=custom]',
    'start -> map -> ok; ok -> ship [label="[Y] Yes"]; ok -> fix [label="[N] No"]',
    'ship -> end; fix -> end; end -> exit',
  );
  const files = ['a b', '$(touch pwned)', '<b>', 'digraph { a -> b }', '__proto__'];
  const handlers: Setup['handlers'] = { custom: () => ({ status: 'success' }) };

  test('106, 87: each waits for its own answer, and one that was left for a question goes before those for the stage', async () => {
    const first = await runOnDisk(dot, { inputs: { files }, handlers });
    expect(first.result.status).toBe('paused');
    const asked = eventsOf(first.events, 'InterviewStarted');
    expect(asked.map(({ branch, question }) => [branch, question.text])).toEqual(
      files.map((file, index) => [`ok#${index + 1}`, `Ship ${file}?`]),
    );
    const second = asked[1]?.question.id ?? '';
    writeFileSync(path.join(first.directory, 'open-questions', `${second}.answer`), 'N\n');
    const { result, events } = await resumePipeline(first.directory, {
      handlers,
      answers: { ok: ['Y', 'Y', 'Y', 'Y'] },
    });
    expect(result.status).toBe('success');
    const answers = eventsOf(events, 'InterviewCompleted').map(({ branch, answer }) => [
      branch,
      answer.value,
    ]);
    expect(new Map(answers as [string, string][])).toEqual(
      new Map([1, 2, 3, 4, 5].map((item) => [`ok#${item}`, item === 2 ? 'N' : 'Y'])),
    );
    expect(
      resultsIn({ result } as PipelineRun).map(({ item, completed_nodes: nodes }) => [item, nodes.at(-1)]),
    ).toEqual(files.map((file, index) => [file, index === 1 ? 'fix' : 'ship']));
  });
});
