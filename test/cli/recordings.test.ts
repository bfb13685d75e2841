import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { linesOf } from '../support/journal-of.js';
import { attractor } from './attractor.js';

describe('run --replay', () => {
  const tool = (command: string) =>
    `digraph t { start [shape=Mdiamond]; done [shape=Msquare]; t [shape=parallelogram, tool_command="${command}"]; start -> t -> done }`;

  test('of an edited pipeline fails at the first request that differs, and says how', async () => {
    const cwd = directoryWith({ 'a.dot': tool('echo one') });
    await attractor(['run', 'a.dot', '--run-dir', 'r', '--record'], { cwd });
    writeFileSync(path.join(cwd, 'a.dot'), tool('echo two >> traces'));
    const { status, stdout } = await attractor(['run', 'a.dot', '--replay', 'r', '--run-dir', 'again'], {
      cwd,
    });
    expect(status).toBe(1);
    expect(stdout).toContain('"t" (visit 1, attempt 1) asks for another command than was recorded');
    expect(stdout).toContain('-echo one');
    expect(stdout).toContain('+echo two >> traces');
    expect(linesOf(path.join(cwd, 'traces'))).toEqual([]);
  });

  test('takes no answers from elsewhere, and no run without a recording', async () => {
    const cwd = directoryWith({ 'a.dot': tool('true') });
    await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
    const contradicting = await attractor(['run', 'a.dot', '--replay', 'r', '--simulate'], { cwd });
    expect(contradicting).toMatchObject({ status: 2 });
    expect(contradicting.stderr).toContain('cannot be combined with --simulate');
    for (const args of [
      ['run', 'a.dot', '--replay', 'r'],
      ['replay', 'r'],
    ]) {
      const { status, stderr } = await attractor(args, { cwd });
      expect(status).toBe(2);
      expect(stderr).toContain('has no recording');
      expect(stderr).toContain('--record');
    }
  });
});

test('replay --with says how an edited pipeline would have routed a run that was not recorded', async () => {
  const dot = (edges: string) =>
    `digraph g {
      start [shape=Mdiamond]; done [shape=Msquare]
      t [shape=parallelogram, tool_command="false", on_failure=continue]
      u [shape=parallelogram, tool_command="true"]; v [shape=parallelogram, tool_command="true"]
      start -> t; ${edges}; u -> done; v -> done
    }`;
  const cwd = directoryWith({
    'a.dot': dot('t -> u; t -> v [condition="outcome=never"]'),
    'b.dot': dot('t -> u [condition="outcome=success"]; t -> v [condition="outcome=fail"]'),
  });
  await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
  const same = await attractor(['replay', 'r', '--with', 'a.dot', '--check'], { cwd });
  expect(same.stdout).toContain('the path is the same\nthe run would have ended the same way\n');
  expect(same.status).toBe(0);
  const other = await attractor(['replay', 'r', '--with', 'b.dot'], { cwd });
  expect(other.stdout).toBe(
    [
      '  old run          b.dot',
      '  start: success   start: success',
      '  t: fail          t: fail',
      '≠ u: success       v: no outcome',
      '  done: success    –',
      '≠ end: success     stops: unknown',
      '',
      'the paths differ from step 3 on',
      'the path after that is unknown: the old run has no outcome for visit 1 of "v"',
      '',
    ].join('\n'),
  );
  expect(other.status).toBe(0);
  expect(await attractor(['replay', 'r', '--with', 'b.dot', '--check'], { cwd })).toMatchObject({
    status: 1,
  });
});
