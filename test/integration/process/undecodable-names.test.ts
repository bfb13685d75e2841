import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor, directoryWith, executable, type Finished, startAttractor } from './attractor.js';

// Names that are not UTF-8 (bytes such as 0xff), which Node reads as U+FFFD and cannot write. Only Linux has them.

const works = `digraph works {
  start [shape=Mdiamond]
  done [shape=Msquare]
  one [shape=parallelogram, tool_command="echo one > one.txt"]
  start -> one -> done
}
`;

const lost = (directory: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/${name}`), Buffer.of(0xff)]);

/** All entries below a directory, byte by byte. */
function tree(directory: string): readonly string[] {
  return execFileSync('find', ['.', '-not', '-path', './home*'], { cwd: directory })
    .toString('latin1')
    .split('\n')
    .sort();
}

/** Runs the command line by a shell, which can write any bytes: `\377` in what it is given is one. */
function byShell(script: string, cwd: string): Promise<Finished> {
  const wrapper = ['/bin/sh', '-c', `${script.replaceAll('attractor', '"$0" "$@"')}`];
  const home = path.join(cwd, 'home');
  const env = { HOME: home, XDG_CACHE_HOME: undefined };
  return startAttractor([], { cwd, env, wrapper }).finished;
}

describe.runIf(process.platform === 'linux')('names that are not UTF-8', () => {
  test.each(['run ../works.dot', 'lint .', 'runs', 'parse works.dot'])(
    'as the working directory: %s',
    async (call) => {
      const directory = directoryWith({ 'works.dot': works });
      mkdirSync(lost(directory, 'odd'));
      const before = tree(directory);
      const finished = await byShell(`cd "$(printf 'odd\\377')" && exec attractor ${call}`, directory);
      expect(finished.stderr).toMatch(/^attractor: the path of the working directory is not UTF-8: .*odd�;/);
      expect(finished.status).toBe(2);
      expect(tree(directory)).toEqual(before);
    },
  );

  test('as the working directory of a program that uses the library', async () => {
    const directory = directoryWith({ 'works.dot': works });
    mkdirSync(lost(directory, 'odd'));
    writeFileSync(
      path.join(directory, 'use.cjs'),
      `const { compile, run } = require(${JSON.stringify(path.resolve(executable, '../../dist/index.cjs'))});
       run(compile(require('node:fs').readFileSync('../works.dot', 'utf8')), { backend: undefined }).then(
         () => process.exit(0), (error) => { console.error(error.message); process.exit(9); });`,
    );
    const before = tree(directory);
    expect(() =>
      execFileSync('/bin/sh', ['-c', `cd "$(printf 'odd\\377')" && "${process.execPath}" ../use.cjs`], {
        cwd: directory,
        stdio: 'pipe',
      }),
    ).toThrow(/the path of the working directory is not UTF-8: .*odd�/);
    expect(tree(directory)).toEqual(before);
  });

  test.each([
    'run works.dot --run-dir "$(printf \'odd\\377/r\')"',
    'lint "$(printf \'odd\\377.dot\')"',
    'fmt "$(printf \'odd\\377.dot\')"',
    'status "$(printf \'odd\\377\')"',
  ])('in an argument, also beside a file whose name has U+FFFD: %s', async (call) => {
    const directory = directoryWith({ 'works.dot': works, 'odd�.dot': works });
    mkdirSync(path.join(directory, 'odd�'));
    writeFileSync(lost(directory, 'odd'), '');
    const before = tree(directory);
    const finished = await byShell(`exec attractor ${call}`, directory);
    expect(finished.stderr).toMatch(/^attractor: the argument "odd�[./a-z]*" is not UTF-8/);
    expect(finished.status).toBe(2);
    expect(tree(directory)).toEqual(before);
  });

  test('in an argument: a file whose name really has U+FFFD is read', async () => {
    const directory = directoryWith({ 'odd�.dot': works });
    const { status, stdout } = await attractor(['lint', 'odd�.dot'], { cwd: directory });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('no problems') });
  });

  test('below .attractor/runs: the rest is listed, and what is left out is named', async () => {
    const directory = directoryWith({ 'works.dot': works });
    const first = await attractor(['run', 'works.dot'], { cwd: directory });
    expect(first.status).toBe(0);
    const home = path.join(directory, '.attractor/runs');
    const [id = ''] = readdirSync(home);
    mkdirSync(lost(home, 'odd'));
    mkdirSync(path.join(home, 'odd�'));
    const listed = await attractor(['runs', '--json'], { cwd: directory });
    expect(listed.status).toBe(0);
    expect(listed.stderr).toMatch(/^left out, because the name is not UTF-8; rename the directory: odd�\n$/);
    expect(JSON.parse(listed.stdout).runs).toMatchObject([{ run_id: id }]);
    expect((await attractor(['status'], { cwd: directory })).stdout).toContain(id);
  });

  test.each([
    ['TMPDIR', /no temporary directory can be created in .*odd� .*its name is not UTF-8.*; set TMPDIR to/],
    ['HOME', /^$/],
    ['XDG_CACHE_HOME', /^$/],
  ])('as %s: nothing is created beside it', async (variable, message) => {
    const directory = directoryWith({ 'works.dot': works });
    mkdirSync(lost(directory, 'odd'));
    const script = `export ${variable}="$PWD/$(printf 'odd\\377')"; exec attractor run works.dot`;
    const finished = await byShell(script, directory);
    expect(/.*no temporary.*set TMPDIR to/.exec(finished.stdout)?.[0] ?? '').toMatch(message);
    expect(finished.status).toBe(variable === 'TMPDIR' ? 1 : 0);
    expect(existsSync(path.join(directory, 'odd�'))).toBe(false);
  });

  test('beneath --git: they are committed, and merged', async () => {
    const command = `printf x > \\"$(printf 'new\\\\377')\\"; rm old*`;
    const directory = directoryWith({ 'works.dot': works.replace('echo one > one.txt', command) });
    writeFileSync(lost(directory, 'old'), 'x');
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: directory,
      }).toString('latin1');
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const finished = await attractor(['run', 'works.dot', '--git'], { cwd: directory });
    expect(finished.status, finished.stderr).toBe(0);
    const [, branch = ''] = /git merge (\S+)/.exec(finished.stdout + finished.stderr) ?? [];
    expect(git('-c', 'core.quotePath=false', 'ls-tree', '-z', '--name-only', branch).split('\0')).toEqual([
      'new\xff',
      'works.dot',
      '',
    ]);
    git('merge', '-q', branch);
    expect(readdirSync(directory, { encoding: 'latin1' })).toContain('new\xff');
  });
});
