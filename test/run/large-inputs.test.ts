import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import type { Handler } from '../../src/handlers/handler.js';
import type { BranchResult } from '../../src/machine/state.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  wholePromptOf,
} from './harness.js';

type Values = Readonly<Record<string, JsonValue>>;

const longestEvent = 256 * 1024;
const megabyte = 'x'.repeat(1_000_000);
const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'y'.repeat(600)]));
const large: Values = { report: { errors: 3, text: megabyte }, plan: 'p'.repeat(120_000), ...many };

function expectSmallEvents(directory: string): void {
  for (const line of fileOf(directory, 'events.jsonl').trimEnd().split('\n'))
    expect(Buffer.byteLength(line)).toBeLessThan(longestEvent);
}

/** Keeps what a stage sees of some keys. */
function looking(...keys: readonly string[]) {
  const seen: (JsonValue | undefined)[] = [];
  const look: Handler['execute'] = ({ context }) => {
    seen.push(...keys.map((key) => context.get(key)));
    return { status: 'success' };
  };
  return { seen, look };
}

const cutTo = (directory: string, lines: number): void => {
  const journal = fileOf(directory, 'events.jsonl').split('\n');
  writeFileSync(
    path.join(directory, 'events.jsonl'),
    journal
      .slice(0, lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
};

describe('97: large inputs stay out of events (DESIGN 2)', () => {
  /** The same values by both ways: given to the run, or set by its first stage. */
  const ways: readonly [string, (dot: string, values: Values) => Promise<PipelineRun>][] = [
    [
      'given to the run',
      (dot, inputs) => runOnDisk(dot, { inputs, handlers: { set: () => ({ status: 'success' }) } }),
    ],
    [
      'set by a stage',
      (dot, updates) =>
        runOnDisk(dot, { handlers: { set: () => ({ status: 'success', context_updates: updates }) } }),
    ],
  ];

  test.each(ways)('%s, are seen alike by conditions, templates and tools', async (_way, start) => {
    const dot = pipeline(
      'set [type=set]; ask [prompt="${context.plan}|${context.report.text}"]; wrong',
      't [shape=parallelogram, prompt="", tool_command="printf %s ${context.plan} | wc -c; echo $ATTRACTOR_CTX_KEY7 ${context.report.errors}"]',
      'start -> set',
      'set -> ask [condition="report.errors > 2 && exists report.text && exists plan"]',
      'set -> wrong [condition="report.errors < 3"]; ask -> t -> exit; wrong -> exit',
    );
    const { directory, result } = await start(dot, large);
    expect(result).toMatchObject({ status: 'success', path: ['start', 'set', 'ask', 't', 'exit'] });
    expect(wholePromptOf(directory, 'ask')).toContain(`${large.plan}|${megabyte}`);
    expect(result.context['tool.output']).toBe(`120000\n${'y'.repeat(600)} 3\n`);
    expectSmallEvents(directory);
  });

  const line = pipeline('a [type=look]; b [type=look]', 'start -> a -> b -> exit');
  const keys = ['report', 'inputs.report', 'key7'];
  const expected = [large.report, large.report, many.key7];

  test('are there when another process continues, also before the first event', async () => {
    const { directory } = await runOnDisk(line, { inputs: large, handlers: { look: looking().look } });
    expect(existsSync(path.join(directory, 'artifacts', 'inputs.0.context.plan.json'))).toBe(true);
    for (const lines of [6, 1, 0]) {
      cutTo(directory, lines);
      const { seen, look } = looking(...keys);
      expect((await resumePipeline(directory, { handlers: { look } })).result.status).toBe('success');
      expect(seen.slice(0, 3)).toEqual(expected);
      expectSmallEvents(directory);
    }
    expect(jsonOf(directory, 'manifest.json').inputs.report).toEqual(large.report);
  });

  test('may be given again to a run that continues', async () => {
    const failing: Handler['execute'] = () => ({ status: 'fail', failure_reason: 'red', retryable: false });
    const { directory } = await runOnDisk(line, { inputs: large, handlers: { look: failing } });
    const { seen, look } = looking('plan', 'report');
    const plan = 'q'.repeat(300_000);
    const { result, events } = await resumePipeline(directory, { inputs: { plan }, handlers: { look } });
    expect(result.status).toBe('success');
    expect(seen.slice(0, 2)).toEqual([plan, large.report]);
    expect(eventsOf(events, 'PipelineResumed')).toMatchObject([
      { inputs: { plan: { size_bytes: 300_002 } } },
    ]);
    expect(
      readdirSync(path.join(directory, 'artifacts')).filter((name) => name.includes('context.plan')),
    ).toHaveLength(2);
    expectSmallEvents(directory);
  });

  test('36: are there after a restart', async () => {
    const { seen, look } = looking('report', 'internal.restart_count');
    const dot = pipeline(
      'a [type=look]',
      'start -> a; a -> a [loop_restart=true, condition="context.internal.restart_count=0"]; a -> exit',
    );
    const { result } = await runOnDisk(dot, { inputs: large, handlers: { look } });
    expect(result.status).toBe('success');
    expect(seen).toEqual([large.report, 0, large.report, 1]);
  });

  test('9.4: reach a child, whose events stay small too', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), pipeline('c [type=look]', 'start -> c -> exit'));
    const { seen, look } = looking('inputs.it', 'it');
    const dot = pipeline(
      'p [type=pipeline, child="child.dot", "params.it"="${context.report.text}"]',
      'start -> p -> exit',
    );
    const { result, directory } = await runOnDisk(dot, {
      ...{ inputs: large, handlers: { look }, workingDirectory: home },
    });
    expect(result.status).toBe('success');
    expect(seen).toEqual([megabyte, megabyte]);
    expectSmallEvents(path.join(directory, 'p', 'child'));
  });

  test('of which there are too many to name are refused before there is a run', async () => {
    const inputs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 'z'.repeat(10)]),
    );
    const runDirectory = path.join(temporaryDirectory(), 'run');
    await expect(runOnDisk(line, { inputs, runDirectory })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^the run is given 20000 inputs, .* put them into one object under one key$/,
      ),
    });
    expect(existsSync(runDirectory)).toBe(false);
  });
});

describe('50: large results of branches', () => {
  const branches = Array.from({ length: 12 }, (_, index) => `b${index}`);
  const fan = [
    'node [type=set]; fan [shape=component, type=parallel]; in [shape=component, type=parallel]',
    'meet [type=set]; join [type=look]',
    'start -> fan; fan -> in; in -> x -> meet; in -> y -> meet; meet -> join',
    ...branches.map((id) => `fan -> ${id} -> join`),
  ];
  const set: Handler['execute'] = ({ node: { id } }) => ({
    status: 'success',
    context_updates: { text: `${id} ${megabyte}`, score: branches.indexOf(id) },
  });
  const textsOf = (results: JsonValue | undefined): readonly unknown[] =>
    (results as unknown as readonly BranchResult[]).map(({ context_updates }) => context_updates.text);
  const expected = ['meet', ...branches].map((id) => `${id} ${megabyte}`);

  test('are in no event, and are whole where a stage looks at them; conditions see the rest', async () => {
    const dot = pipeline(
      ...fan,
      't [shape=parallelogram, type=tool, tool_command="wc -c < $ATTRACTOR_LOGS_ROOT/fan/parallel-results.json"]',
      'join -> t [condition="parallel.results.4.status=success && parallel.results.4.context_updates.score=3"]',
      'join -> exit; t -> exit',
    );
    const { seen, look } = looking('parallel.results');
    const { result, directory, events } = await runOnDisk(dot, { handlers: { set, look } });
    expect(result).toMatchObject({ status: 'success', path: expect.arrayContaining(['t']) });
    expect(textsOf(seen[0])).toEqual(expected);
    expectSmallEvents(directory);
    // They are not part of an event, but what the events of the branches amount to.
    const completed = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'fan');
    expect(completed).toMatchObject([
      { outcome: { status: 'success', notes: '13 of 13 branches succeeded' } },
    ]);
    expect(completed[0]?.outcome.context_updates).toBe(undefined);
    expect(Number(result.context['tool.last_line'])).toBeLessThan(longestEvent);
  });

  test('are whole when another process continues after the join', async () => {
    const dot = pipeline(...fan, 'join -> exit');
    const stop: Handler['execute'] = () => {
      throw new Error('stop here');
    };
    const { directory } = await runOnDisk(dot, { handlers: { set, look: stop } });
    const { seen, look } = looking('parallel.results');
    const { result } = await resumePipeline(directory, { handlers: { set, look } });
    expect(result.status).toBe('success');
    expect(textsOf(seen[0])).toEqual(expected);
  });

  test('53: the best of them is small again in the event of the fan-in', async () => {
    const dot = pipeline(
      ...fan.map((line) =>
        line.replace('join [type=look]', 'join [shape=tripleoctagon, type="parallel.fan_in"]'),
      ),
      'after [type=look]; join -> after -> exit',
    );
    const { seen, look } = looking('parallel.fan_in.best_id', 'parallel.fan_in.best');
    const { directory } = await runOnDisk(dot, { handlers: { set, look } });
    expect(seen).toMatchObject(['b11', { id: 'b11', context_updates: { text: expected.at(-1) } }]);
    expectSmallEvents(directory);
  });
});
