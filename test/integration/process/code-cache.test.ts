import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor, directoryWith, temporaryDirectory } from './attractor.js';

const pipeline = 'digraph p { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }\n';
const checked = { status: 0, stdout: '✔ no problems in 1 file\n', stderr: '' };

/** Where Node 22 and later keep compiled code is their own affair. */
const isBuiltIn = 'enableCompileCache' in (await import('node:module')).default;

/** Checks a pipeline with a folder of one's own for what is kept. */
function checkingIn(caches: string, env: Readonly<Record<string, string>> = {}) {
  const cwd = directoryWith({ 'p.dot': pipeline });
  return attractor(['lint', 'p.dot'], { cwd, env: { XDG_CACHE_HOME: caches, ...env } });
}

/** One folder for each installation, version and set of options. */
function kept(caches: string, command = 'lint'): readonly string[] {
  const code = path.join(caches, 'attractor/code');
  const installations = existsSync(code) ? readdirSync(code) : [];
  return installations.flatMap((name) => {
    const folder = path.join(code, name, command);
    return existsSync(folder) ? readdirSync(folder).map((file) => path.join(folder, file)) : [];
  });
}

function stateOf(files: readonly string[]): readonly unknown[] {
  return files.map((file) => {
    const { ino, mtimeMs, size } = statSync(file);
    return { file: path.basename(file), ino, mtimeMs, size };
  });
}

describe.runIf(!isBuiltIn)('compiled code', () => {
  test('is kept by the first process, whole files only, and left alone by the next', async () => {
    const caches = temporaryDirectory();
    expect(await checkingIn(caches)).toEqual(checked);
    const files = kept(caches);
    const names = files.map((file) => path.basename(file));
    expect(names).toEqual(expect.arrayContaining(['command-line.bin', 'language.bin']));
    expect(names.filter((name) => !name.endsWith('.bin'))).toEqual([]);
    const before = stateOf(files);
    expect(await checkingIn(caches)).toEqual(checked);
    expect(stateOf(kept(caches))).toEqual(before);
  });

  test('of a command that changes how V8 compiles is kept apart', async () => {
    const caches = temporaryDirectory();
    const cwd = directoryWith({ 'p.dot': pipeline });
    const render = () =>
      attractor(['render', 'p.dot', '-o', 'p.svg'], { cwd, env: { XDG_CACHE_HOME: caches } });
    expect(await render()).toMatchObject({ status: 0 });
    await checkingIn(caches);
    const before = [...stateOf(kept(caches, 'render')), ...stateOf(kept(caches))];
    expect(before.length).toBeGreaterThan(4);
    expect(await render()).toMatchObject({ status: 0 });
    await checkingIn(caches);
    expect([...stateOf(kept(caches, 'render')), ...stateOf(kept(caches))]).toEqual(before);
  });

  test('under other options of Node is kept apart', async () => {
    const caches = temporaryDirectory();
    const options = { NODE_OPTIONS: '--max-old-space-size=4096' };
    await checkingIn(caches);
    await checkingIn(caches, options);
    const before = stateOf(kept(caches));
    expect(before.length).toBeGreaterThan(3);
    await checkingIn(caches);
    await checkingIn(caches, options);
    expect(stateOf(kept(caches))).toEqual(before);
  });

  test('that nobody has renewed for a month is removed when other code is kept', async () => {
    const caches = temporaryDirectory();
    await checkingIn(caches, { NODE_OPTIONS: '--stack-size=900' });
    const old = kept(caches);
    for (const file of old) utimesSync(file, 1e9, 1e9);
    await checkingIn(caches);
    expect(old.filter((file) => existsSync(file))).toEqual([]);
    expect(kept(caches).length).toBeGreaterThan(1);
  });

  test('leaves the loader as it was for others', async () => {
    const cwd = directoryWith({
      'p.dot': pipeline,
      'hook.mjs': `import { createRequire } from 'node:module';
        const { extensions } = createRequire(import.meta.url);
        const before = extensions['.cjs'];
        extensions['.cjs'] = (loaded, file) => before(loaded, file);
        export default { name: 'hook' };\n`,
      'before.cjs': `require.extensions['.cjs'] = (loaded, file) => {
        if (file.endsWith('plugin.cjs')) console.error('seen');
        require.extensions['.js'](loaded, file);
      };\n`,
      'plugin.cjs': "module.exports = { name: 'plain' };\n",
    });
    const env = { XDG_CACHE_HOME: temporaryDirectory() };
    expect(await attractor(['lint', 'p.dot', '--plugin', './hook.mjs'], { cwd, env })).toEqual(checked);
    const NODE_OPTIONS = '--require ./before.cjs';
    const hooked = await attractor(['lint', 'p.dot', '--plugin', './plugin.cjs'], {
      cwd,
      env: { ...env, NODE_OPTIONS },
    });
    expect(hooked).toEqual({ ...checked, stderr: 'seen\n' });
  });

  test('is kept for no command that there is not', async () => {
    const caches = temporaryDirectory();
    expect(await attractor(['lnt'], { env: { XDG_CACHE_HOME: caches } })).toMatchObject({ status: 2 });
    expect(kept(caches, 'lnt')).toEqual([]);
  });

  const damages: readonly (readonly [what: string, damage: (file: string) => void])[] = [
    ['is cut', (file) => truncateSync(file, statSync(file).size - 40)],
    ['is empty', (file) => truncateSync(file, 0)],
    ['has a damaged sector', (file) => writeFileSync(file, readFileSync(file).fill(0, 4096, 4608))],
    ['belongs to another build', (file) => writeFileSync(file, otherBuild(readFileSync(file)))],
    ['is of another version of V8', (file) => writeFileSync(file, otherVersion(readFileSync(file)))],
  ];
  test.each(damages)('that %s is not used, but replaced', async (_what, damage) => {
    const caches = temporaryDirectory();
    await checkingIn(caches);
    const file = kept(caches).find((name) => name.endsWith('language.bin')) ?? '';
    const { size } = statSync(file);
    damage(file);
    const damaged = readFileSync(file);
    expect(await checkingIn(caches)).toEqual(checked);
    const replaced = readFileSync(file);
    expect(replaced.equals(damaged)).toBe(false);
    expect(Math.abs(replaced.length - size) / size).toBeLessThan(0.2);
  });

  test.runIf(process.getuid?.() === 0)(
    'that another user has written is not used, but replaced',
    async () => {
      const caches = temporaryDirectory();
      await checkingIn(caches);
      const before = kept(caches);
      for (const file of before) chownSync(file, 65_534, 65_534);
      expect(await checkingIn(caches)).toEqual(checked);
      expect(before.map((file) => statSync(file).uid)).toEqual(before.map(() => 0));
    },
  );

  test.runIf(process.platform !== 'win32')('is not waited for where a pipe lies in its place', async () => {
    const caches = temporaryDirectory();
    await checkingIn(caches);
    const before = kept(caches);
    for (const file of before) {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    }
    expect(await checkingIn(caches)).toEqual(checked);
    expect(before.filter((file) => !statSync(file).isFile())).toEqual([]);
  });

  test('is kept nowhere when Node is told so, or where nothing can be written', async () => {
    const caches = temporaryDirectory();
    expect(await checkingIn(caches, { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(checked);
    expect(kept(caches)).toEqual([]);
    const file = path.join(caches, 'file');
    writeFileSync(file, '');
    expect(await checkingIn(file)).toEqual(checked);
    chmodSync(caches, 0o500);
    expect(await checkingIn(caches)).toEqual(checked);
    chmodSync(caches, 0o700);
  });
});

/** The name of the chunk, its size and its time stand at the end. */
function otherBuild(written: Buffer): Buffer {
  const changed = Buffer.from(written);
  changed[changed.length - 1] = changed.at(-1) === 0x31 ? 0x32 : 0x31;
  return changed;
}

/** V8 writes a number that stands for its version after a magic number. */
function otherVersion(written: Buffer): Buffer {
  const changed = Buffer.from(written);
  changed.writeUInt32LE(~changed.readUInt32LE(4) >>> 0, 4);
  return changed;
}
