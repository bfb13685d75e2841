import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import type { RunEvent } from '../../src/machine/event.js';
import { readStageFile } from '../../src/view/read-stage-file.js';
import { stageDetail } from '../../src/view/stage-detail.js';
import { stageDetailSchema, timelineSchema } from '../../src/view/stage-schema.js';
import { timeline } from '../../src/view/timeline.js';
import { eventsOf, pipeline, resumePipeline, runOnDisk, testEach } from '../run/harness.js';

// What readers are told of a visit must be what the engine did in it, wherever it kept the files.

interface Case {
  readonly name: string;
  readonly dot: string;
  /** By node: which of its executions fail, from 1. */
  readonly failing: Readonly<Record<string, readonly number[]>>;
}

/** Leaves a file that names the execution. */
function noting(failing: Case['failing']): Handler['execute'] {
  const counts = new Map<string, number>();
  return (stage) => {
    const { id } = stage.node;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    stage.writeFile('key.txt', stage.idempotencyKey);
    const fails = failing[id]?.includes(count) ?? false;
    return fails ? { status: 'fail', failure_reason: 'as told' } : { status: 'success' };
  };
}

const fan = (...statements: readonly string[]): readonly string[] => [
  'node [type=note]',
  'p [shape=component, type="parallel", max_parallel=1]',
  'j [shape=tripleoctagon, type="parallel.fan_in"]',
  ...statements,
];

const places: readonly Case[] = [
  {
    name: '71a: visits of a loop',
    dot: pipeline('a [type=note]', 'start -> a', 'a -> a [condition="outcome=fail"]', 'a -> exit'),
    failing: { a: [1, 2] },
  },
  {
    name: '36: restarts',
    dot: pipeline(
      'node [type=note]',
      'start -> a -> b',
      'b -> a [condition="outcome=fail", loop_restart=true]',
      'b -> exit',
    ),
    failing: { b: [1, 2] },
  },
  {
    name: '54: a stage in several branches, twice',
    dot: pipeline(
      ...fan(
        'start -> p',
        'p -> a -> shared -> j',
        'p -> b -> shared',
        'j -> again',
        'again -> p [condition="outcome=fail"]',
        'again -> exit',
      ),
    ),
    failing: { again: [1] },
  },
  {
    name: '54: branches in branches',
    dot: pipeline(
      ...fan(
        'q [shape=component, type="parallel", max_parallel=1]',
        'k [shape=tripleoctagon, type="parallel.fan_in"]',
        'start -> p',
        'p -> q',
        'p -> other -> shared',
        'q -> c -> shared',
        'q -> d -> shared',
        'q -> k',
        'shared -> j -> again',
        'k -> j',
        'again -> p [condition="outcome=fail"]',
        'again -> exit',
      ),
    ),
    failing: { again: [1] },
  },
];

/** The idempotency key of every execution, by its ordinal: visits are counted in each branch, and again after a restart (SEMANTICS 106). */
function keysOf(events: readonly RunEvent[]): readonly string[] {
  const keys: string[] = [];
  const visits = new Map<string, number>();
  let restart: readonly string[] = [];
  for (const event of events) {
    if (event.type === 'LoopRestarted') restart = [event.directory];
    if (event.type !== 'StageStarted' || event.attempt > 1) continue;
    const branch = event.branch === undefined ? [] : [event.branch];
    const stage = [event.run_id, ...restart, ...branch, event.node_id].join('/');
    const visit = (visits.get(stage) ?? 0) + 1;
    visits.set(stage, visit);
    keys.push(`${stage}/${visit}`);
  }
  return keys;
}

testEach(places, async ({ dot, failing }) => {
  const { events, directory } = await runOnDisk(dot, { handlers: { note: noting(failing) } });
  const keys = keysOf(events);
  const nodes = new Set(eventsOf(events, 'StageStarted').map(({ node_id }) => node_id));
  const seen: string[] = [];
  let checked = 0;
  for (const nodeId of nodes) {
    const detail = stageDetailSchema.parse(stageDetail(directory, nodeId));
    expect(detail.visits.map(({ visit }) => visit)).toEqual(detail.visits.map((_visit, index) => index + 1));
    for (const { visit, index, files } of detail.visits) {
      seen[index] = keys[index] ?? '';
      if (!detail.handler.startsWith('note')) continue;
      expect(files.map((file) => file.path)).toContain('key.txt');
      const file = readStageFile(directory, { nodeId, visit, path: 'key.txt' });
      checked += 1;
      expect(file.kind === 'found' ? file.data.toString() : file.message).toBe(keys[index]);
    }
  }
  expect(seen).toEqual(keys);
  expect(new Set(keys).size).toBe(keys.length);
  expect(checked).toBeGreaterThan(2);
});

const oneStage = pipeline('a [type=note, max_retries=2]', 'start -> a -> exit');

test('§3.5 attempts, what each came to, and how long the next one waited', async () => {
  let count = 0;
  const note: Handler['execute'] = () => {
    count += 1;
    return count < 3
      ? { status: 'retry', failure_reason: `not yet ${count}` }
      : { status: 'success', notes: 'done' };
  };
  const { directory } = await runOnDisk(oneStage, { handlers: { note } });
  const [visit] = stageDetail(directory, 'a')?.visits ?? [];
  expect(visit).toMatchObject({
    status: 'success',
    notes: 'done',
    next: { to: 'exit', reason: 'weight', loop_restart: false },
  });
  expect(visit?.attempts.map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
    [1, 'retry', 'not yet 1'],
    [2, 'retry', 'not yet 2'],
    [3, 'success', null],
  ]);
  expect(visit?.attempts.map((one) => (one.retry_delay_ms ?? 0) > 0)).toEqual([true, true, false]);
});

test('§9.6 tools, models, warnings and what a model answers', async () => {
  const during: unknown[] = [];
  const note: Handler['execute'] = (stage) => {
    stage.report({ kind: 'text', channel: 'response', text: 'I am ' });
    stage.report({ kind: 'text', channel: 'reasoning', text: 'hm' });
    stage.report({ kind: 'text', channel: 'response', text: 'at it' });
    stage.report({ kind: 'tool_call_started', call_id: '1', tool: 'grep', input: { for: 'x'.repeat(9000) } });
    stage.report({ kind: 'tool_call_started', call_id: '2', tool: 'ls', input: {} });
    stage.report({
      kind: 'tool_call_completed',
      call_id: '1',
      tool: 'grep',
      success: false,
      output: 'no',
      duration: 5,
    });
    const usage = { requests: 1, input_tokens: 10, output_tokens: 5, cost_usd: 0.5 };
    stage.report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    stage.report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    stage.log('warning', 'mind the gap');
    during.push(stageDetail(stage.logsRoot, 'a')?.visits[0]);
    return { status: 'success' };
  };
  const { directory } = await runOnDisk(oneStage, { handlers: { note } });
  const [visit] = stageDetail(directory, 'a')?.visits ?? [];
  expect(visit).toMatchObject({
    usage: { requests: 2, input_tokens: 20, output_tokens: 10, cost_usd: 1 },
    tool_calls: 2,
    tool_uses: [
      { tool: 'grep', success: false, output: 'no', duration_ms: 5 },
      { tool: 'ls', success: null, output: null, duration_ms: null },
    ],
    log: [{ level: 'warning', message: 'mind the gap' }],
    output: '',
  });
  expect(visit?.tool_uses[0]?.input.length).toBeLessThan(2100);
  expect(during[0]).toMatchObject({ status: 'running', ended_at: null, next: null });
});

test('§6.2 a question waits, and is answered when the run is resumed', async () => {
  const dot = pipeline(
    'g [shape=hexagon, label="Ship it?"]',
    'start -> g',
    'g -> exit [label="[Y] Yes"]',
    'g -> g [label="[N] No"]',
  );
  const { directory } = await runOnDisk(dot);
  const asked = stageDetail(directory, 'g')?.visits[0];
  expect(asked?.questions).toMatchObject([{ text: 'Ship it?', answer: null, duration_ms: null }]);
  expect(['asking', 'suspended']).toContain(asked?.status);
  await resumePipeline(directory, { answers: { g: ['N', 'Y'] } });
  const visits = stageDetail(directory, 'g')?.visits ?? [];
  expect(visits.map(({ status, next }) => [status, next?.to, next?.label])).toEqual([
    ['success', 'g', '[N] No'],
    ['success', 'exit', '[Y] Yes'],
  ]);
  expect(visits[0]?.questions).toMatchObject([{ answer: { label: '[N] No', by_default: false } }]);
  expect(visits[0]?.questions[0]?.options).toEqual([
    { key: 'Y', label: '[Y] Yes' },
    { key: 'N', label: '[N] No' },
  ]);
});

test('§5.3 a run that was cut off has no stage that runs, and a torn last line says nothing', async () => {
  const { directory } = await runOnDisk(oneStage, { handlers: { note: noting({}) } });
  const journal = path.join(directory, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const begun = lines.findIndex((line) => line.includes('"StageStarted"') && line.includes('"node_id":"a"'));
  writeFileSync(journal, `${lines.slice(0, begun + 1).join('\n')}\n`);
  appendFileSync(journal, '{"seq":99,"type":"StageComp');
  expect(stageDetail(directory, 'a')?.visits).toMatchObject([
    { status: 'suspended', ended_at: null, attempts: [{ status: 'cut_off' }] },
  ]);
  appendFileSync(journal, '\n');
  expect(() => timeline(directory, 10)).toThrow(/events\.jsonl is damaged in line/);
});

test('73: a timeline holds the latest visits, and says how many it leaves out', async () => {
  const loop = pipeline('a [type=note]', 'start -> a', 'a -> a [condition="outcome=fail"]', 'a -> exit');
  const note = noting({ a: Array.from({ length: 40 }, (_one, index) => index + 1) });
  const { directory } = await runOnDisk(loop, { handlers: { note } });
  const all = timelineSchema.parse(timeline(directory, 1000));
  expect(all.visits.map(({ index }) => index)).toEqual(Array.from({ length: 43 }, (_one, index) => index));
  expect(all.omitted).toBe(0);
  const latest = timeline(directory, 5);
  expect(latest.visits).toEqual(all.visits.slice(-5));
  expect(latest.omitted).toBe(38);
  const few = stageDetail(directory, 'a', { limit: 3 });
  expect(few?.visits.map(({ visit }) => visit)).toEqual([39, 40, 41]);
  expect(few?.omitted).toBe(38);
  // Of a visit that is not told of, the files can be read all the same.
  expect(readStageFile(directory, { nodeId: 'a', visit: 2, path: 'key.txt' }).kind).toBe('found');
});

test('73: no path and no link leads out of the directory of a visit', async () => {
  const { directory } = await runOnDisk(oneStage, { handlers: { note: noting({}) } });
  const outside = path.join(path.dirname(directory), 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'secret.txt'), 'a secret');
  symlinkSync(path.join(outside, 'secret.txt'), path.join(directory, 'a', 'link.txt'));
  symlinkSync(outside, path.join(directory, 'a', 'linked'));
  symlinkSync('key.txt', path.join(directory, 'a', 'own.txt'));
  const kinds = (names: readonly string[]) =>
    names.map((name) => [name, readStageFile(directory, { nodeId: 'a', path: name }).kind]);
  const refused = [
    'link.txt',
    'linked/secret.txt',
    '../events.jsonl',
    '..',
    '.',
    '',
    '/etc/passwd',
    'a//b',
    'x\0',
    '..\\x',
    './key.txt',
  ];
  expect(kinds(refused)).toEqual(refused.map((name) => [name, 'refused']));
  const missing = ['nothing', 'key.txt/x', 'visit-1/key.txt', 'n'.repeat(300)];
  expect(kinds(missing)).toEqual(missing.map((name) => [name, 'missing']));
  expect(kinds(['key.txt', 'own.txt'])).toEqual([
    ['key.txt', 'found'],
    ['own.txt', 'found'],
  ]);
  expect(stageDetail(directory, 'a')?.visits[0]?.files.map((file) => file.path)).not.toContain('link.txt');
  for (const nodeId of ['../run', '..', '__proto__', 'constructor', 'artifacts', 'a/visit-1']) {
    expect(readStageFile(directory, { nodeId, path: 'key.txt' }).kind).toBe('missing');
    expect(stageDetail(directory, nodeId)).toBeUndefined();
  }
  // A program may put a link in the place of the whole directory.
  rmSync(path.join(directory, 'a'), { recursive: true });
  symlinkSync(outside, path.join(directory, 'a'));
  expect(readStageFile(directory, { nodeId: 'a', path: 'secret.txt' }).kind).toBe('refused');
  expect(stageDetail(directory, 'a')?.visits[0]?.files).toEqual([]);
});

test('a part of a file that is too large: its beginning, or its end', async () => {
  const { directory } = await runOnDisk(oneStage, { handlers: { note: noting({}) } });
  writeFileSync(path.join(directory, 'a', 'stdout.log'), '0123456789');
  const name = { nodeId: 'a', path: 'stdout.log' };
  const parts = (['beginning', 'end'] as const).map((part) =>
    readStageFile(directory, name, { limit: 4, part }),
  );
  expect(parts).toEqual([
    { kind: 'found', data: Buffer.from('0123'), size: 10 },
    { kind: 'found', data: Buffer.from('6789'), size: 10 },
  ]);
});
