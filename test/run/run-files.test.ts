import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { graphHash } from '../../src/journal/graph-hash.js';
import { run } from '../../src/run/run.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { version } from '../../src/version.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';
import { fileOf, jsonOf, pipeline, programOf, resumePipeline, runOnDisk } from './harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const line = pipeline('goal="Ship it"', 'a', 'b', 'start -> a -> b -> exit');

describe('5.6: files', () => {
  test('manifest.json says what the run is', async () => {
    const { directory, result } = await runOnDisk(line, {
      sourcePath: 'pipelines/line.dot',
      inputs: { n: 1 },
      workingDirectory: '/tmp',
    });
    expect(jsonOf(directory, 'manifest.json')).toEqual({
      run_id: result.run_id,
      name: 'G',
      goal: 'Ship it',
      start_time: '2026-01-01T00:00:00.000Z',
      source: 'pipelines/line.dot',
      graph_hash: graphHash(programOf(line).graph),
      attractor_version: version,
      inputs: { n: 1 },
      parent_run: null,
      working_directory: '/tmp',
      options: {
        simulate: false,
        auto_approve: false,
        default_budget_usd: 25,
        script: { nodes: {}, answers: {} },
        has_backend: false,
        handler_types: [],
      },
    });
    expect(fileOf(directory, 'pipeline.dot')).toBe(line);
  });

  test('result.json is the result', async () => {
    const { directory, result } = await runOnDisk(line);
    expect(jsonOf(directory, 'result.json')).toEqual(result);
    expect(result).toMatchObject({ run_dir: directory, quality: 'clean', duration_ms: 0, usage: {} });
  });

  test('DESIGN 4: by default a run is in .attractor/runs, called after the time and the graph', async () => {
    const workingDirectory = temporaryDirectory();
    const result = await run(line, { workingDirectory, clock: virtualClock() });
    expect(result).toMatchObject({ run_id: expect.stringMatching(/^20260101-000000-G-[a-z2-7]{6}$/) });
    if (result.status === 'invalid') throw new Error('the pipeline is valid');
    expect(result.run_dir).toBe(path.join(workingDirectory, '.attractor', 'runs', result.run_id));
  });

  test('61, 62a: every executed node has a status.json, start and exit included', async () => {
    const { directory } = await runOnDisk(line, {
      script: {
        a: {
          outcome: 'partial_success',
          preferred_label: 'Go',
          suggested_next_ids: ['b'],
          context_updates: { x: 1 },
          notes: 'nearly',
        },
      },
    });
    expect(jsonOf(directory, 'a', 'status.json')).toEqual({
      outcome: 'partial_success',
      preferred_label: 'Go',
      preferred_next_label: 'Go',
      suggested_next_ids: ['b'],
      context_updates: { x: 1 },
      notes: 'nearly',
      failure_reason: '',
    });
    for (const id of ['start', 'b', 'exit'])
      expect(jsonOf(directory, id, 'status.json').outcome).toBe('success');
  });

  test('71a, 96: earlier visits of a stage are kept in visit-<n>', async () => {
    const dot = pipeline('a [retry_target=a]', 'start -> a -> exit');
    const { directory } = await runOnDisk(dot, {
      script: { a: [{ ...fail, response: 'one' }, { ...fail, response: 'two' }, { response: 'three' }] },
    });
    expect(fileOf(directory, 'a', 'visit-1', 'response.md')).toBe('one');
    expect(jsonOf(directory, 'a', 'visit-1', 'status.json').outcome).toBe('fail');
    expect(fileOf(directory, 'a', 'visit-2', 'response.md')).toBe('two');
    expect(fileOf(directory, 'a', 'response.md')).toBe('three');
    expect(existsSync(path.join(directory, 'a', 'visit-3'))).toBe(false);
  });

  test('71a: a visit that a power failure took from the journal keeps its files besides those of its successor', async () => {
    const dot = pipeline('a [retry_target=a]', 'start -> a -> exit');
    const { directory } = await runOnDisk(dot, {
      script: { a: [{ ...fail, response: 'one' }, { response: 'two' }] },
    });
    const journal = path.join(directory, 'events.jsonl');
    const lines = fileOf(directory, 'events.jsonl').split('\n');
    const begun = lines.findIndex((line) => line.includes('"StageStarted"') && line.includes('"a"'));
    writeFileSync(journal, `${lines.slice(0, begun + 1).join('\n')}\n`);
    const script = readScript({ nodes: { a: [{ ...fail, response: 'other' }, {}] } }, 'the test');
    const { result } = await resumePipeline(directory, {}, { script });
    expect(result).toMatchObject({ status: 'success', visits: { a: 2 } });
    expect(fileOf(directory, 'a', 'visit-1', 'response.md')).toBe('other');
    expect(fileOf(directory, 'a', 'visit-1', 'response.md~1')).toBe('one');
  });

  test('71: what the run directory needs for itself is not a node id, or can be none', async () => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const seen = new Set<string>();
    const dot = pipeline(
      'node [type=custom]; fan [shape=component, type=parallel]; join [shape=tripleoctagon, type="parallel.fan_in"]',
      'start -> a -> fan; fan -> b -> shared -> join; fan -> c -> shared; join -> exit',
      'join -> a [condition="context.internal.restart_count=0", loop_restart=true]',
    );
    await runOnDisk(dot, {
      runDirectory,
      handlers: {
        custom: ({ artifacts, writeFile }) => {
          artifacts.store('notes', 'notes', 'text');
          writeFile('note.txt', 'here');
          for (const name of readdirSync(runDirectory)) seen.add(name);
          return { status: 'success' };
        },
      },
    });
    for (const name of readdirSync(runDirectory)) seen.add(name);
    expect([...seen]).toEqual(expect.arrayContaining(['artifacts', 'lock', 'restart-1', 'events.jsonl']));
    const stages = ['start', 'a', 'b', 'c', 'fan', 'shared', 'join', 'exit'];
    const possibleIds = [...seen].filter((name) => /^[A-Za-z_]\w*$/.test(name) && !stages.includes(name));
    expect(possibleIds.sort()).toEqual(['artifacts', 'lock']);
    for (const id of possibleIds) {
      const { diagnostics } = compile(pipeline(id, `start -> ${id} -> exit`));
      expect(diagnostics).toMatchObject([
        {
          rule: 'reserved_node_id',
          severity: 'error',
          nodeId: id,
          fix: { title: expect.stringContaining('rename') },
        },
      ]);
    }
  });

  test('17g: names that objects have of their own are ordinary names', async () => {
    const dot = pipeline('__proto__', 'constructor', 'start -> __proto__ -> constructor -> exit');
    const script = JSON.parse(
      '{"__proto__":{"context_updates":{"__proto__":"x","toString":1}},"constructor":{}}',
    );
    const { directory, result } = await runOnDisk(dot, { script });
    expect(result.path).toEqual(['start', '__proto__', 'constructor', 'exit']);
    expect(new Map(Object.entries(result.visits)).get('__proto__')).toBe(1);
    expect(new Map(Object.entries(result.context)).get('__proto__')).toBe('x');
    const outcomes = new Map(Object.entries(jsonOf(directory, 'checkpoint.json').node_outcomes));
    expect(outcomes.get('__proto__')).toMatchObject({ context_updates: { toString: 1 } });
    expect(readdirSync(path.join(directory, '__proto__'))).toEqual(['status.json']);
  });
});
