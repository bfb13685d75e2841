import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor, startAttractor } from './attractor.js';

// Runs as things to wait for, to choose from, and to remove.

const pipelineOf = (command: string, name = 'one'): string => `digraph ${name} {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="${command}"]
  start -> work -> done
}
`;

const gate = `digraph release {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"]
  start -> gate
  gate -> done [label="[A] Approve"]
  gate -> gate [label="[F] Fix"]
}
`;

const waits = 'until test -f go; do sleep 0.02; done';

/** Runs in one directory, each named by its pipeline. */
function project(files: Readonly<Record<string, string>>) {
  const cwd = directoryWith(files);
  return {
    cwd,
    call: (...args: string[]) => attractor(args, { cwd }),
    start: (...args: string[]) => startAttractor(args, { cwd }),
    go: () => writeFileSync(path.join(cwd, 'go'), ''),
  };
}

describe('attractor wait', () => {
  test.each([
    ['a success', pipelineOf('true'), /^r {2}success after \S+\n$/, 0],
    ['a failure', pipelineOf('exit 7'), /^r {2}fail after \S+: .*exit code 7\n$/, 1],
    ['a pause', gate, /^r {2}paused after [^\n]+\n {2}to resume it: attractor resume r\n$/, 3],
  ])('ends as the run did: %s', async (_what, source, line, status) => {
    const { call } = project({ 'p.dot': source });
    await call('run', 'p.dot', '--run-dir', 'r');
    const waited = await call('wait', 'r');
    expect(waited).toMatchObject({ status, stderr: '' });
    expect(waited.stdout).toMatch(line);
    const { stdout } = await call('wait', 'r', '--json');
    expect(JSON.parse(stdout).runs).toMatchObject([{ exit_status: status }]);
  });

  test('waits for a run that another process executes, and gives up when the time is up', async () => {
    const { cwd, call, start, go } = project({ 'p.dot': pipelineOf(waits) });
    const running = start('run', 'p.dot', '--run-dir', 'r');
    await running.until('the run', () => existsSync(path.join(cwd, 'r', 'events.jsonl')));
    expect(await call('wait', 'r', '--timeout', '50ms')).toEqual({
      status: 124,
      stdout: '',
      stderr: 'attractor: after 50ms, r is still running\n',
    });
    const waiting = start('wait', 'r');
    go();
    await running.finished;
    expect(await waiting.finished).toMatchObject({ status: 0 });
  });

  test('of several runs: the worst status, or with --any that of the first that ends', async () => {
    const { cwd, call, start, go } = project({
      'fails.dot': pipelineOf('exit 1'),
      'p.dot': pipelineOf(waits),
    });
    const running = start('run', 'p.dot', '--run-dir', 'slow');
    await running.until('the run', () => existsSync(path.join(cwd, 'slow', 'events.jsonl')));
    await call('run', 'fails.dot', '--run-dir', 'failed');
    const any = await call('wait', 'slow', 'failed', '--any');
    expect(any.status).toBe(1);
    expect(any.stdout).toMatch(/^failed {2}fail/);
    go();
    await running.finished;
    expect(await call('wait', 'slow', '--json')).toMatchObject({ status: 0 });
    const all = await call('wait', 'slow', 'failed');
    expect(all.status).toBe(1);
    expect(all.stdout.split('\n')).toHaveLength(3);
  });

  test('says once that a run waits for an answer', async () => {
    const { cwd, call, start } = project({ 'p.dot': gate });
    const running = start('run', 'p.dot', '--run-dir', 'r', '--interviewer', 'wait');
    await running.until('the question', () => existsSync(path.join(cwd, 'r', 'open-questions')));
    const waiting = start('wait', 'r');
    await waiting.until('the question', () => waiting.output().includes('attractor answer r'));
    await call('answer', 'r', 'A');
    expect(await running.finished).toMatchObject({ status: 0 });
    const { status, stderr } = await waiting.finished;
    expect([status, stderr]).toEqual([0, 'r waits for an answer (gate): attractor answer r\n']);
  });

  test.each([
    [['wait', 'nothing'], 'there is no run "nothing"'],
    [['wait'], 'no runs found'],
    [['wait', '--timeout', 'soon'], 'Expected a duration'],
  ])('%o cannot be waited for', async (args, message) => {
    const { call } = project({});
    const { status, stderr } = await call(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('attractor logs --follow', () => {
  test.each([
    ['a failed run', 'exit 7', 1],
    ['a successful one', 'true', 0],
  ])('ends with the exit status of %s', async (_what, command, status) => {
    const { call } = project({ 'p.dot': pipelineOf(command) });
    await call('run', 'p.dot', '--run-dir', 'r');
    expect(await call('logs', 'r', '--follow')).toMatchObject({ status });
    expect(await call('logs', 'r')).toMatchObject({ status: 0 });
  });
});

describe('attractor runs', () => {
  /** Three runs: one that failed, one that is paused, and one that succeeded. */
  async function threeRuns() {
    const made = project({
      'fails.dot': pipelineOf('exit 1', 'fails'),
      'gate.dot': gate,
      'passes.dot': pipelineOf('true', 'passes'),
    });
    for (const name of ['fails', 'gate', 'passes']) await made.call('run', `${name}.dot`);
    const home = path.join(made.cwd, '.attractor', 'runs');
    const names = async (...args: string[]): Promise<readonly string[]> => {
      const { stdout, stderr } = await made.call('runs', ...args, '--json');
      expect(stderr).toBe('');
      return JSON.parse(stdout).runs.map(({ name }: { name: string }) => name);
    };
    return { ...made, names, left: () => readdirSync(home).length };
  }

  test('lists the newest first, and chooses', async () => {
    const { call, names } = await threeRuns();
    expect(await names()).toEqual(['passes', 'release', 'fails']);
    expect(await names('--active')).toEqual(['release']);
    expect(await names('--status', 'fail')).toEqual(['fails']);
    expect(await names('--name', 'passes')).toEqual(['passes']);
    expect(await names('--older-than', '1h')).toEqual([]);
    expect((await call('runs', '--name', 'none')).stderr).toBe(
      'There are no such runs below .attractor/runs.\n',
    );
    expect(await call('runs', '--keep', '1')).toMatchObject({ status: 2 });
  });

  test('of a parent: the runs that its stages have started', async () => {
    const { call, cwd } = project({
      'child.dot': pipelineOf('true', 'child'),
      'p.dot': pipelineOf('true').replace(/work \[[^\]]*\]/, 'work [type=pipeline, child="child.dot"]'),
    });
    expect(await call('run', 'p.dot', '--run-dir', 'r')).toMatchObject({ status: 0 });
    const { runs } = JSON.parse((await call('runs', '--parent', 'r', '--json')).stdout);
    expect(runs).toMatchObject([{ name: 'child', status: 'success' }]);
    expect(runs[0].run_dir.startsWith(path.join(cwd, 'r'))).toBe(true);
  });

  test('prune removes runs that have ended, and no other', async () => {
    const { call, names, left } = await threeRuns();
    expect(await call('runs', 'prune')).toMatchObject({ status: 2, stdout: '' });
    expect(await call('runs', 'prune', '--status', 'running', '--keep', '0')).toMatchObject({ status: 2 });
    const dry = await call('runs', 'prune', '--keep', '0', '--dry-run');
    expect([dry.status, dry.stdout.split('\n').length, dry.stderr]).toEqual([
      0,
      3,
      '2 runs would be removed\n',
    ]);
    expect(left()).toBe(3);
    expect(await call('runs', 'prune', '--older-than', '1h')).toMatchObject({ stderr: '0 runs removed\n' });
    expect(await call('runs', 'prune', '--keep', '1')).toMatchObject({
      status: 0,
      stderr: '1 run removed\n',
    });
    expect(await names()).toEqual(['passes', 'release']);
    expect(await call('runs', 'prune', '--keep', '0', '--json')).toMatchObject({ status: 0 });
    expect(await names()).toEqual(['release']);
    expect(await call('runs', 'prune', '--status', 'paused', '--keep', '0')).toMatchObject({ status: 0 });
    expect(left()).toBe(0);
  });
});
