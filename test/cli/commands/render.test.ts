import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

const loop = `digraph loop {
  start [shape=Mdiamond]
  done [shape=Msquare]
  make [shape=parallelogram, tool_command="true", max_visits=5]
  check [shape=parallelogram, tool_command="test -e passed || { touch passed; exit 1; }", retry_target=make]
  other [shape=parallelogram, tool_command="true"]
  start -> make -> check
  check -> done [condition="outcome=success"]
  check -> other [condition="outcome=skipped"]
  other -> done
}
`;

describe('render --run', () => {
  test('colours what happened: states, counts, the path, jumps', async () => {
    const cwd = directoryWith({ 'loop.dot': loop });
    await attractor(['run', 'loop.dot', '--run-dir', 'r'], { cwd });
    const { status, stdout, stderr } = await attractor(['render', '--run', 'r', '--format', 'mermaid'], {
      cwd,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/title: "loop \(run \S+ · succeeded · 4 stages/);
    expect(stdout).toContain('n2[/"make<br/>2 ×"/]');
    expect(stdout).toContain('class n4 is_unreached');
    expect(stdout).toContain('n2 -->|"2 ×"| n3');
    expect(stdout).toContain('n3 -.->|"retry target"| n2');
    expect(stdout).toMatch(/class n0,n1,n2,n3 is_done/);
  });

  test('draws the pipeline as it was run, whatever has become of its file', async () => {
    const cwd = directoryWith({
      'loop.dot': loop,
      'other.dot': 'digraph other { start; done; start -> done }',
    });
    await attractor(['run', 'loop.dot', '--run-dir', 'r'], { cwd });
    const args = ['render', 'other.dot', '--run', 'r', '-o', 'out.svg'];
    const { status, stderr } = await attractor(args, { cwd });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'attractor: other.dot differs from the pipeline that was run; drawing the one that was run\n',
    });
    const svg = readFileSync(path.join(cwd, 'out.svg'), 'utf8');
    expect(svg).toMatch(/id="node-make" class="node kind-tool state-done"/);
    expect(svg).toMatch(/id="node-other" class="node kind-tool unreached"/);
  });

  test('shows where a run failed', async () => {
    const cwd = directoryWith({
      'fails.dot': loop.replace('tool_command="true", max', 'tool_command="exit 3", max'),
    });
    await attractor(['run', 'fails.dot', '--run-dir', 'r'], { cwd });
    const { stdout } = await attractor(['render', '--run', 'r'], { cwd });
    expect(stdout).toMatch(/id="node-make" class="node kind-tool state-failed"/);
    expect(stdout).toMatch(/id="node-check" class="node kind-tool unreached"/);
    expect(stdout).toContain('exit code 3');
  });

  test('says what is missing', async () => {
    const cwd = directoryWith({ 'loop.dot': loop });
    const nothing = await attractor(['render'], { cwd });
    expect(nothing).toMatchObject({ status: 2, stderr: expect.stringContaining('name a pipeline to draw') });
    const unknown = await attractor(['render', '--run', 'nope'], { cwd });
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no run "nope"') });
  });
});

test('a PNG picture', async () => {
  const cwd = directoryWith({ 'loop.dot': loop });
  const { status, stderr } = await attractor(['render', 'loop.dot', '--theme', 'dark', '-o', 'out.png'], {
    cwd,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(readFileSync(path.join(cwd, 'out.png')).subarray(1, 4).toString()).toBe('PNG');
});
