import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor, directoryWith, type Finished } from './attractor.js';

// Permissions mean nothing to root, so that as root these commands run as nobody, which only a process of its own can.

const isRoot = process.getuid?.() === 0;
const nobody = 65534;

function asOrdinaryUser(args: readonly string[], cwd: string): Promise<Finished> {
  return attractor(args, { cwd, ...(isRoot && { uid: nobody }) });
}

function expectMessage({ status, stdout, stderr }: Finished, message: RegExp): void {
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
}

const works = `digraph works {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="true"]
  start -> work -> done
}
`;

const gate = `digraph gate {
  start [shape=Mdiamond]
  done [shape=Msquare]
  first [shape=parallelogram, tool_command="true"]
  ask [shape=hexagon]
  start -> first -> ask
  ask -> done [label="[Y] Yes"]
}
`;

describe.concurrent('a file without permission', () => {
  test.each(['lint', 'parse', 'render', 'run'])('%s of an unreadable file', async (command) => {
    const cwd = directoryWith({ 'secret.dot': works });
    chmodSync(path.join(cwd, 'secret.dot'), 0o000);
    const finished = await asOrdinaryUser([command, 'secret.dot'], cwd);
    expectMessage(finished, /^attractor: cannot read secret\.dot: permission denied\n$/);
  });

  test.each([
    { name: 'by default', args: [] },
    { name: 'by name', args: ['--run-dir', 'r'] },
  ])('a run directory that cannot be created: $name', async ({ args }) => {
    const cwd = directoryWith({ 'works.dot': works });
    chmodSync(cwd, 0o555);
    const finished = await asOrdinaryUser(['run', 'works.dot', ...args], cwd);
    expectMessage(finished, /^attractor: the run directory .+ cannot be created: permission denied\n$/);
    chmodSync(cwd, 0o755);
    expect(readdirSync(cwd)).toEqual(['works.dot']);
  });

  test('a run directory that cannot be written', async () => {
    const cwd = directoryWith({ 'works.dot': works });
    mkdirSync(path.join(cwd, 'r'), { mode: 0o555 });
    const finished = await asOrdinaryUser(['run', 'works.dot', '--run-dir', 'r'], cwd);
    expectMessage(finished, /^attractor: the run directory .+ cannot be written: permission denied\n$/);
    expect(readdirSync(path.join(cwd, 'r'))).toEqual([]);
  });

  test('resume of a run that cannot be written', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    expect(await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd })).toMatchObject({ status: 3 });
    const run = path.join(cwd, 'r');
    chmodSync(run, 0o555);
    const before = contentOf(run);
    const finished = await asOrdinaryUser(['resume', 'r', '--answer', 'ask=Y'], cwd);
    expectMessage(finished, /^attractor: the run directory .+ cannot be written: permission denied\n$/);
    expect(contentOf(run)).toEqual(before);
    chmodSync(run, 0o755);
    expect(await attractor(['resume', 'r', '--answer', 'ask=Y'], { cwd })).toMatchObject({ status: 0 });
  });

  test('render into a directory that cannot be written', async () => {
    const cwd = directoryWith({ 'works.dot': works });
    chmodSync(cwd, 0o555);
    const finished = await asOrdinaryUser(['render', 'works.dot', '-o', 'out.svg'], cwd);
    expectMessage(finished, /^attractor: cannot write out\.svg: permission denied\n$/);
  });

  test('98: fmt of a file that must not be written, in a directory that may be', async () => {
    const messy = 'digraph G {a->b}';
    const cwd = directoryWith({ 'messy.dot': messy });
    chmodSync(cwd, 0o777);
    chmodSync(path.join(cwd, 'messy.dot'), 0o444);
    const finished = await asOrdinaryUser(['fmt', 'messy.dot'], cwd);
    expectMessage(finished, /cannot write messy\.dot: permission denied/);
    expect(readFileSync(path.join(cwd, 'messy.dot'), 'utf8')).toBe(messy);
    expect(readdirSync(cwd)).toEqual(['messy.dot']);
  });

  test('98: lint --fix of one file that must not be written, which keeps no other from being mended', async () => {
    const broken = 'digraph G {\n  start [shape=Mdiamond]\n  done [shape=Msquare]\n  start -- done\n}\n';
    const cwd = directoryWith({ 'broken.dot': broken, 'other.dot': broken });
    chmodSync(cwd, 0o777);
    chmodSync(path.join(cwd, 'broken.dot'), 0o444);
    chmodSync(path.join(cwd, 'other.dot'), 0o666);
    const { status, stderr } = await asOrdinaryUser(['lint', '--fix', '.'], cwd);
    expect(status).toBe(2);
    expect(stderr).toContain('attractor: cannot write broken.dot');
    expect(readFileSync(path.join(cwd, 'broken.dot'), 'utf8')).toBe(broken);
    expect(readFileSync(path.join(cwd, 'other.dot'), 'utf8')).toBe(broken.replace('--', '->'));
  });
});

/** Every file below a directory with its content. */
function contentOf(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [file, readFileSync(file, 'latin1')]));
}
