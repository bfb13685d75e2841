import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/run/run.js';
import { readManifest } from '../../src/run-directory/manifest.js';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

// What somebody else has made is looked at without running it.

const tiny =
  'digraph tiny { start [shape=Mdiamond] a [shape=parallelogram, tool_command="echo a"] end [shape=Msquare] start -> a -> end }';

/** A run whose manifest names a plugin that leaves `ran` in its directory when something imports it. */
async function sentRun(): Promise<string> {
  const cwd = directoryWith({
    'p.dot': tiny,
    'good.mjs': 'export default { name: "good" };',
    'evil.mjs': `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('ran', import.meta.url), '');
export default { name: 'evil' };`,
  });
  const made = await attractor(['run', 'p.dot', '--run-dir', 'r', '--record', '--plugin', './good.mjs'], {
    cwd,
  });
  expect(made).toMatchObject({ status: 0 });
  const manifest = path.join(cwd, 'r', 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll('good.mjs', 'evil.mjs'));
  return cwd;
}

describe('a run whose manifest names plugins', () => {
  test.each([
    { argv: ['report', 'r', '-o', 'r.html'], made: 'r.html' },
    { argv: ['render', '--run', 'r', '-o', 'r.svg'], made: 'r.svg' },
    { argv: ['status', 'r'], made: undefined },
    { argv: ['logs', 'r'], made: undefined },
  ])('is shown without running them: $argv', async ({ argv, made }) => {
    const cwd = await sentRun();
    const shown = await attractor(argv, { cwd });
    expect(shown).toMatchObject({ status: 0 });
    if (made !== undefined) {
      expect(existsSync(path.join(cwd, made))).toBe(true);
      expect(shown.stderr).toContain(
        `shown without the plugins of the run; to load them: --plugin ${cwd}/evil.mjs`,
      );
    }
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
  });

  test.each([
    ['fork', 'r', '--at', 'a', '--no-run'],
    ['replay', 'r'],
  ])('%s wants them named', async (...argv) => {
    const cwd = await sentRun();
    const refused = await attractor(argv, { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`if you trust them, name them: --plugin ${cwd}/evil.mjs`);
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
    const named = await attractor([...argv, '--plugin', './good.mjs'], { cwd });
    expect(named).toMatchObject({ status: 0 });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
  });
});

describe('a paused run whose manifest names plugins', () => {
  const paused = `digraph paused {
    start [shape=Mdiamond]; end [shape=Msquare]; gate [shape=hexagon]
    start -> gate -> end
  }`;

  /** A run that waits at its gate, with a plugin in its manifest that leaves `ran` when something imports it. */
  async function pausedRun(members = '', dot = paused): Promise<string> {
    const good = `export default { name: 'good', ${members} };`;
    const cwd = directoryWith({
      'p.dot': dot,
      'good.mjs': good,
      'evil.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('ran', import.meta.url), '');\n${good}`,
    });
    const made = await attractor(['run', 'p.dot', '--run-dir', 'r', '--plugin', './good.mjs'], { cwd });
    expect(made).toMatchObject({ status: 3 });
    const manifest = path.join(cwd, 'r', 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll('good.mjs', 'evil.mjs'));
    return cwd;
  }

  test.each([
    ['status', 'r'],
    ['logs', 'r'],
    ['report', 'r', '-o', 'r.html'],
    ['answer', 'r', 'end'],
    ['pause', 'r'],
    ['runs'],
    ['cancel', 'r'],
  ])('is looked at, answered and cancelled without running them: %s', async (...argv) => {
    const cwd = await pausedRun();
    expect(await attractor(argv, { cwd })).toMatchObject({ status: 0 });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
  });

  test('is cancelled without them if they bring types of its stages', async () => {
    const cwd = await pausedRun(
      `handlers: [{ type: 'mine', handler: { execute: () => ({ status: 'success' }) } }]`,
      paused.replace('gate -> end', 'gate -> work -> end; work [type=mine]'),
    );
    expect(await attractor(['cancel', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
  });

  test('wants one named to be cancelled if it has changed the graph', async () => {
    const cwd = await pausedRun(
      `transforms: [{ name: 'named', transform: (graph) => ({ ...graph, attributes: new Map([...graph.attributes, ['label', 'changed']]) }) }]`,
    );
    const refused = await attractor(['cancel', 'r'], { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`if you trust them, name them: --plugin ${cwd}/evil.mjs`);
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
    const named = await attractor(['cancel', 'r', '--plugin', './good.mjs'], { cwd });
    expect(named).toMatchObject({ status: 0, stdout: expect.stringContaining('The run is cancelled.') });
  });
});

describe('a run that a server began which lets no pipeline run commands', () => {
  const gated = `digraph gated {
    start [shape=Mdiamond]
    end [shape=Msquare]
    gate [shape=hexagon, label="Go on?"]
    work [type=pipeline, child="child.dot"]
    start -> gate -> work -> end
  }`;
  const tool = gated.replace(
    'work [type=pipeline, child="child.dot"]',
    'work [shape=parallelogram, tool_command="touch ran"]',
  );
  const child =
    'digraph child { start [shape=Mdiamond] t [shape=parallelogram, tool_command="touch ran"] end [shape=Msquare] start -> t -> end }';

  async function postedRun(dot: string): Promise<string> {
    const cwd = directoryWith({ 'child.dot': child });
    const result = await run(dot, {
      restricted: true,
      runDirectory: path.join(cwd, 'r'),
      workingDirectory: cwd,
    });
    expect(result).toMatchObject({ status: 'paused' });
    return cwd;
  }

  test('may run none from a shell either, unless somebody says so', async () => {
    const cwd = await postedRun(tool);
    const answered = ['--answer', 'gate=0'];
    for (const argv of [
      ['resume', 'r'],
      ['fork', 'r', '--run-dir', 'f'],
    ]) {
      const refused = await attractor([...argv, ...answered], { cwd });
      expect(refused).toMatchObject({ status: 2, stdout: '' });
      expect(refused.stderr).toMatch(
        /"work" is a tool stage, which runs a command, and the run was started on a server that does not let pipelines run commands; --allow-tools of `attractor resume` and `attractor fork` allows them for this run/,
      );
      expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
    }
    expect(existsSync(path.join(cwd, 'f'))).toBe(false);
    const allowed = await attractor(['resume', 'r', '--allow-tools', '--answer', 'gate=work'], { cwd });
    expect(allowed).toMatchObject({ status: 0 });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(true);
    // Said once, it holds for whoever continues with the run.
    expect(readManifest(path.join(cwd, 'r')).options.restricted).not.toBe(true);
  });

  test('nor may the pipelines that its stages run', async () => {
    const cwd = await postedRun(gated);
    const resumed = await attractor(['resume', 'r', '--answer', 'gate=work', '--json'], { cwd });
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('"t" is a tool stage, which runs a command'),
    });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
  });
});

test('JSON holds no character that steers a terminal, and means the same', async () => {
  const label = 'a\u009b31mred\u202eesrever\u2066\u007f';
  const cwd = directoryWith({ 'p.dot': tiny.replace('a [shape', `a [label="${label}", shape`) });
  const parsed = await attractor(['parse', 'p.dot'], { cwd });
  const linted = await attractor(['lint', '--format', 'json', 'p.dot'], { cwd });
  const sarif = await attractor(['lint', '--format', 'sarif', 'p.dot'], { cwd });
  const ran = await attractor(['run', 'p.dot', '--run-dir', 'r', '--events'], { cwd });
  const logged = await attractor(['logs', 'r', '--json'], { cwd });
  const listed = await attractor(['runs', '--json'], { cwd });
  for (const { stdout } of [parsed, linted, sarif, ran, logged, listed]) {
    expect(stdout).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
  }
  const { nodes } = JSON.parse(parsed.stdout) as { nodes: { id: string; attributes: { label?: string } }[] };
  expect(nodes.find(({ id }) => id === 'a')?.attributes.label).toBe(label);
  expect(logged.stdout).toContain(String.raw`\u009b31m`);
});
