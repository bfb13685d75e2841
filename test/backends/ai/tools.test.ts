import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ToolContext, ToolProblem } from '../../../src/backends/ai/tools/agent-tool.js';
import { confinedPath } from '../../../src/backends/ai/tools/confined-path.js';
import { findFiles } from '../../../src/backends/ai/tools/find-files.js';
import { builtInTools } from '../../../src/backends/ai/tools/index.js';
import { makeRedactor, noRedactor } from '../../../src/secrets/redactor.js';
import { fc } from '../../support/fast-check.js';
import { processes } from '../../support/processes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Workspace {
  readonly root: string;
  /** What a tool answers; what it refuses begins with `refused: `. */
  call(tool: string, input: object): Promise<string>;
  read(file: string): string;
}

/** The processes whose command has a mark in it; what was killed takes a moment to be gone. */
function living(mark: string) {
  return processes().filter(({ command }) => command.includes(mark));
}

function placeOf(root: string): ToolContext {
  return {
    root,
    runDirectory: path.join(root, 'runs/r'),
    signal: new AbortController().signal,
    redactor: noRedactor,
    commandTimeout: 20_000,
    environment: () => ({ PATH: process.env.PATH }),
  };
}

/** A working directory with some files, and a secret next to it. */
function workspace(more: Partial<ToolContext> = {}): Workspace {
  const directory = temporaryDirectory();
  const root = path.join(directory, 'work');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  mkdirSync(path.join(root, 'node_modules/x'), { recursive: true });
  mkdirSync(path.join(directory, 'work-beside'));
  writeFileSync(path.join(directory, 'secret.txt'), 'secret');
  writeFileSync(path.join(directory, 'work-beside/secret.txt'), 'secret');
  writeFileSync(path.join(root, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(path.join(root, 'src/b.ts'), 'const one = 1;\n');
  writeFileSync(path.join(root, 'node_modules/x/c.ts'), 'const one = 1;\n');
  writeFileSync(path.join(root, 'data.bin'), Buffer.from([1, 0, 2]));
  symlinkSync(directory, path.join(root, 'out'));
  symlinkSync(path.join(directory, 'secret.txt'), path.join(root, 'out.txt'));
  symlinkSync(path.join(directory, 'nothing'), path.join(root, 'dangling'));
  symlinkSync('a.txt', path.join(root, 'inside.txt'));
  symlinkSync('loop', path.join(root, 'loop'));
  const place: ToolContext = { ...placeOf(root), ...more };
  return {
    root,
    read: (file) => readFileSync(path.join(root, file), 'utf8'),
    async call(name, input) {
      const tool = builtInTools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      try {
        return await tool.run(input, place);
      } catch (error) {
        if (error instanceof ToolProblem) return `refused: ${error.message}`;
        throw error;
      }
    },
  };
}

describe('4.5: tools stay in the working directory', () => {
  const ways = [
    '../secret.txt',
    'src/../../secret.txt',
    '../work-beside/secret.txt',
    'out/secret.txt',
    'out.txt',
    'out/work-beside/../secret.txt',
    '/etc/passwd',
  ];
  const tools: readonly (readonly [tool: string, input: (path: string) => object])[] = [
    ['read_file', (file) => ({ path: file })],
    ['write_file', (file) => ({ path: file, content: 'x' })],
    ['edit_file', (file) => ({ path: file, old_text: 'secret', new_text: 'x' })],
    ['list_files', (file) => ({ path: path.dirname(file) === 'out' ? 'out' : `${file}/..` })],
    ['grep', (file) => ({ path: file, pattern: 'secret|root' })],
  ];
  for (const [tool, input] of tools) {
    test.each(tool === 'list_files' ? ways.filter((way) => way !== 'out.txt') : ways)(
      `${tool} of %s is refused`,
      async (way) => {
        const { call, root } = workspace();
        expect(await call(tool, input(way))).toMatch(/^refused: .*outside the working directory/);
        expect(readFileSync(path.join(root, '../secret.txt'), 'utf8')).toBe('secret');
      },
    );
  }

  test.each(['../new.txt', 'out/new.txt', 'out/new/deep.txt', 'dangling', 'dangling/new.txt'])(
    'nothing is made at %s',
    async (way) => {
      const { call, root } = workspace();
      expect(await call('write_file', { path: way, content: 'x' })).toMatch(/^refused: /);
      expect(existsSync(path.join(root, '..', 'new.txt'))).toBe(false);
      expect(existsSync(path.join(root, '..', 'new'))).toBe(false);
      expect(existsSync(path.join(root, '..', 'nothing'))).toBe(false);
    },
  );

  test('whatever a path is made of, it leads to a place inside, or nowhere', async () => {
    const { root } = workspace();
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'out',
      'out.txt',
      'dangling',
      'inside.txt',
      'a.txt',
      'new',
      'work',
    );
    const paths = fc.tuple(fc.boolean(), fc.array(part, { maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(paths, async ([isAbsolute, parts]) => {
        const asked = `${isAbsolute ? `${root}/` : ''}${parts.join('/')}`;
        const real = await confinedPath({ root, runDirectory: path.join(root, 'runs') }, asked).catch(
          (error) => error,
        );
        if (real instanceof ToolProblem) return;
        expect(real === root || real.startsWith(`${root}/`)).toBe(true);
        // Real all the way: nothing of what exists is a link.
        for (let part = real; part !== root; part = path.dirname(part)) {
          if (existsSync(part)) expect(realpathSync(part)).toBe(part);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('globs do not lead out, and links to directories are not followed', async () => {
    const { call } = workspace();
    expect(await call('list_files', { pattern: '../*' })).toMatch(/^refused: .*leads out/);
    expect(await call('list_files', { pattern: '/etc/*' })).toMatch(/^refused: /);
    expect(await call('list_files', { pattern: '{.,..}/secret*' })).toBe('No file matches.');
    expect(await call('list_files', { pattern: 'out/**' })).toBe('No file matches.');
    expect(await call('grep', { pattern: 'secret', glob: '**/*' })).toBe('No line matches.');
  });

  test('the records of the run may be read, and not changed', async () => {
    const { call, root } = workspace();
    mkdirSync(path.join(root, 'runs/r'), { recursive: true });
    writeFileSync(path.join(root, 'runs/r/events.jsonl'), 'line\n');
    expect(await call('read_file', { path: 'runs/r/events.jsonl' })).toBe('line\n');
    for (const tool of ['write_file', 'edit_file']) {
      const input = {
        path: 'runs/r/events.jsonl',
        ...(tool === 'write_file' ? { content: '' } : { old_text: 'line', new_text: '' }),
      };
      expect(await call(tool, input)).toMatch(/^refused: .*records of this run/);
    }
  });

  test('links inside of it are followed', async () => {
    const { call, read } = workspace();
    expect(await call('read_file', { path: 'inside.txt' })).toBe('one\ntwo\nthree\n');
    await call('write_file', { path: 'inside.txt', content: 'new' });
    expect(read('a.txt')).toBe('new');
    expect(await call('read_file', { path: 'loop' })).toMatch(/^refused: .*leads to itself/);
  });
});

describe.each([
  ['write_file', { content: 'new' }],
  ['edit_file', { old_text: 'one\ntwo\nthree\n', new_text: 'new' }],
])('4.5: %s replaces a file as a whole', (tool, input) => {
  test('whoever reads the old one has all of it, and its permissions stay', async () => {
    const { root, call, read } = workspace();
    const file = path.join(root, 'a.txt');
    chmodSync(file, 0o754);
    const old = openSync(file, 'r');
    onTestFinished(() => closeSync(old));
    await call(tool, { path: 'inside.txt', ...input });
    expect(readFileSync(old, 'utf8')).toBe('one\ntwo\nthree\n');
    expect(read('a.txt')).toBe('new');
    expect(statSync(file).mode & 0o7777).toBe(0o754);
    expect(readlinkSync(path.join(root, 'inside.txt'))).toBe('a.txt');
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('one with other names is the same under all of them', async () => {
    const { root, call, read } = workspace();
    linkSync(path.join(root, 'a.txt'), path.join(root, 'other.txt'));
    await call(tool, { path: 'a.txt', ...input });
    expect([read('a.txt'), read('other.txt')]).toEqual(['new', 'new']);
  });

  test.skipIf(process.getuid?.() === 0)('also where its directory takes no other one', async () => {
    const { root, call, read } = workspace();
    chmodSync(root, 0o555);
    onTestFinished(() => chmodSync(root, 0o755));
    await call(tool, { path: 'a.txt', ...input });
    expect(read('a.txt')).toBe('new');
    expect(await call('write_file', { path: 'b.txt', content: '' })).toBe(
      'refused: "b.txt": permission denied',
    );
  });

  test.skipIf(process.getuid?.() === 0)('but none that may only be read', async () => {
    const { root, call, read } = workspace();
    chmodSync(path.join(root, 'a.txt'), 0o444);
    expect(await call(tool, { path: 'a.txt', ...input })).toBe('refused: "a.txt": permission denied');
    expect(read('a.txt')).toBe('one\ntwo\nthree\n');
  });
});

describe('4.5: what tools do', () => {
  test.each<readonly [tool: string, input: object, answer: string | RegExp]>([
    ['read_file', { path: 'a.txt' }, 'one\ntwo\nthree\n'],
    ['read_file', { path: 'a.txt', limit: 1 }, 'one\n[lines 1 to 1 of 3; read on with offset 2]'],
    ['read_file', { path: 'a.txt', offset: 2, limit: 5 }, 'two\nthree\n[lines 2 to 3 of 3]'],
    ['read_file', { path: 'a.txt', offset: 9 }, 'refused: "a.txt" has only 3 lines'],
    ['read_file', { path: 'missing' }, 'refused: "missing" does not exist'],
    ['read_file', { path: 'src' }, /^refused: "src" is a directory/],
    ['read_file', { path: 'data.bin' }, /^refused: .*is not text/],
    ['read_file', { path: 'a.txt/b' }, /^refused: .*a part of this path is a file/],
    ['read_file', { file: 'a.txt' }, /^refused: path: expected a string, found nothing/],
    ['read_file', { path: 'a\0' }, /^refused: .*NUL/],
    ['write_file', { path: 'new/deep/x.txt', content: 'äö' }, 'Wrote 4 bytes to new/deep/x.txt.'],
    ['write_file', { path: 'src', content: '' }, /^refused: "src" is a directory/],
    ['edit_file', { path: 'a.txt', old_text: 'two', new_text: '2' }, 'Replaced one occurrence in a.txt.'],
    ['edit_file', { path: 'a.txt', old_text: 'four', new_text: '4' }, /^refused: old_text is not in/],
    ['edit_file', { path: 'a.txt', old_text: 'e\n', new_text: '!' }, /^refused: old_text is 2 times in/],
    [
      'edit_file',
      { path: 'a.txt', old_text: 'e\n', new_text: '!', replace_all: true },
      'Replaced 2 occurrences in a.txt.',
    ],
    ['edit_file', { path: 'a.txt', old_text: 'one', new_text: 'one' }, /^refused: new_text is the same/],
    ['list_files', { pattern: '**/*.ts' }, 'src/b.ts'],
    ['list_files', { pattern: '**/*.ts', path: 'src' }, 'src/b.ts'],
    ['list_files', { pattern: 'node_modules/**/*.ts' }, 'node_modules/x/c.ts'],
    ['grep', { pattern: '^t\\w+' }, 'a.txt:2: two\na.txt:3: three'],
    ['grep', { pattern: 'ONE', ignore_case: true, path: 'src' }, 'src/b.ts:1: const one = 1;'],
    ['grep', { pattern: 'one', path: 'a.txt' }, 'a.txt:1: one'],
    ['grep', { pattern: 'one', path: 'missing' }, 'refused: "missing" does not exist'],
    ['grep', { pattern: '(' }, /^refused: not a valid RE2 regular expression/],
    ['grep', { pattern: '(?=x)' }, /^refused: not a valid RE2 regular expression/],
    ['run_command', { command: 'echo out; echo err >&2' }, /^exit code 0\n(?:out\nerr|err\nout)\n$/],
    ['run_command', { command: 'true' }, 'exit code 0\n[it printed nothing]'],
    ['run_command', { command: 'echo no; exit 3' }, 'refused: exit code 3\nno\n'],
    ['run_command', { command: 'kill -9 $$' }, /^refused: ended by SIGKILL/],
    ['run_command', { command: 'cat' }, 'exit code 0\n[it printed nothing]'],
  ])('%s %j', async (tool, input, answer) => {
    const told = await workspace().call(tool, input);
    if (typeof answer === 'string') expect(told).toBe(answer);
    else expect(told).toMatch(answer);
  });

  // Only Linux has such names.
  test.runIf(process.platform === 'linux')('names that are not UTF-8 are left out, and named', async () => {
    const { root, call } = workspace();
    const odd = (name: string) => Buffer.concat([Buffer.from(`${root}/src/${name}`), Buffer.of(0xff)]);
    writeFileSync(odd('odd'), 'const lost = 1;\n');
    mkdirSync(odd('folder'));
    writeFileSync(path.join(root, 'src/odd\ufffd'), 'const twin = 1;\n');
    const notice =
      '[… left out, since these names are not UTF-8 and only run_command can reach them: src/folder\ufffd, src/odd\ufffd]';
    expect(await call('list_files', { path: 'src' })).toBe(`src/b.ts\nsrc/odd\ufffd\n${notice}`);
    expect(await call('grep', { pattern: 'const' })).toBe(
      `src/b.ts:1: const one = 1;\nsrc/odd\ufffd:1: const twin = 1;\n${notice}`,
    );
    expect(await call('read_file', { path: 'src/folder\ufffd/x' })).toMatch(
      /^refused: .* does not exist, or its name is not UTF-8, and only run_command can reach it$/,
    );
  });

  test('what is not UTF-8 is not damaged by an edit', async () => {
    const { root, call } = workspace();
    const before = Buffer.from('caf\u00e9 one', 'latin1');
    writeFileSync(path.join(root, 'latin.txt'), before);
    const told = await call('edit_file', { path: 'latin.txt', old_text: 'one', new_text: 'two' });
    expect(told).toContain('is not encoded as UTF-8');
    expect(readFileSync(path.join(root, 'latin.txt'))).toEqual(before);
  });

  test('grep finds the end of a line that ends as on Windows', async () => {
    const { root, call } = workspace();
    writeFileSync(path.join(root, 'dos.txt'), 'one\r\ntwo\r\n');
    expect(await call('grep', { pattern: 'one$', path: 'dos.txt' })).toBe('dos.txt:1: one');
  });

  const secret = 'hunter2-hunter2-hunter2-hunter2';

  test.each<readonly [tool: string, input: object]>([
    ['run_command', { command: 'cat long.txt' }],
    ['run_command', { command: 'dd if=long.txt bs=7 2>&1; exit 1' }],
    ['grep', { pattern: 'q', path: 'wide.txt' }],
    ['read_file', { path: 'wide.txt' }],
  ])('no half of a secret is left where %s %j cuts off what is too long', async (tool, input) => {
    const { root, call } = workspace({ redactor: makeRedactor([{ name: 'KEY', value: secret }]) });
    const half = 15;
    writeFileSync(
      path.join(root, 'long.txt'),
      `${'x'.repeat(8 * 1024 - half)}${secret}${'y'.repeat(90_000)}${secret}${'z'.repeat(24 * 1024 - half)}`,
    );
    writeFileSync(
      path.join(root, 'wide.txt'),
      `${'q'.repeat(300 - half)}${secret}${'q'.repeat(100_000 - 300 - secret.length)}${secret}\n`,
    );
    const told = await call(tool, input);
    expect(told.length).toBeGreaterThan(200);
    expect(told).not.toMatch(/hunt|er2/);
  });

  test('104: a line that is too long is read in parts, and a large file from any line', async () => {
    const { root, call } = workspace();
    const long = Array.from({ length: 250_000 }, (_, at) => String(at % 10)).join('');
    writeFileSync(path.join(root, 'long.txt'), `short\n${long}\nend\n`);
    const first = await call('read_file', { path: 'long.txt', offset: 2 });
    expect(first).toBe(
      `${long.slice(0, 100_000)}\n[characters 1 to 100000 of the 250000 in line 2 of 3; read on with offset 2 and column 100001]`,
    );
    const rest = await call('read_file', { path: 'long.txt', offset: 2, column: 200_001 });
    expect(rest).toBe(`${long.slice(200_000)}\nend\n[lines 2 to 3 of 3]`);
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(path.join(root, 'large.txt'), `${line.repeat(120_000)}needle\n`);
    expect(await call('read_file', { path: 'large.txt', offset: 120_001 })).toBe(
      'needle\n[lines 120001 to 120001 of 120001]',
    );
    expect(await call('grep', { path: 'large.txt', pattern: 'needle' })).toBe('large.txt:120001: needle');
    expect(await call('grep', { pattern: 'needle' })).toBe(
      '[… files above 5242880 bytes are only searched if "path" names them: large.txt]',
    );
  });

  test('no pattern of grep takes for ever', async () => {
    const { call, root } = workspace();
    writeFileSync(path.join(root, 'a.txt'), `${'a'.repeat(50_000)}!\n`);
    expect(await call('grep', { pattern: '^(a+)+$', path: 'a.txt' })).toBe('No line matches.');
  });

  test.each([
    ['*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(200)],
    ['{a,aa}'.repeat(60), `${'a'.repeat(200)}b`],
    ['**/a'.repeat(100), `${'a/'.repeat(60)}b`],
  ])('no glob of list_files takes for ever: %s', async (pattern, name) => {
    const { call, root } = workspace();
    mkdirSync(path.dirname(path.join(root, 'deep', name)), { recursive: true });
    writeFileSync(path.join(root, 'deep', name), '');
    expect(await call('list_files', { pattern, path: 'deep' })).toBe('No file matches.');
  });

  test('a walk through too many files ends, and says so', async () => {
    const root = temporaryDirectory();
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(path.join(root, name), '');
    const place = placeOf(root);
    expect(await findFiles(place, '*', '.', 3)).toMatchObject({ isComplete: false });
    expect((await findFiles(place, '*', '.', 3)).files).toHaveLength(3);
    expect(await findFiles(place, '*', '.', 4)).toEqual({
      files: ['a', 'b', 'c', 'd'],
      undecodable: [],
      isComplete: true,
    });
  });

  test('of a long output, a command keeps the beginning and the end', async () => {
    const told = await workspace().call('run_command', {
      command: 'echo first; head -c 200000 /dev/zero | tr "\\0" x; echo; echo last',
    });
    expect(told).toMatch(/^exit code 0\nfirst\nx+\n\[… \d+ bytes left out …\]\nx+\nlast\n$/);
    expect(told.length).toBeLessThan(40_000);
  });

  test('what a command leaves in the background ends with it', async () => {
    const mark = `sleep 97${process.pid}`;
    expect(await workspace().call('run_command', { command: `${mark} & echo started` })).toBe(
      'exit code 0\nstarted\n',
    );
    await expect.poll(() => living(mark), { timeout: 20_000 }).toEqual([]);
  });

  test('a stage that stops stops its command', async () => {
    const stop = new AbortController();
    const running = workspace({ signal: stop.signal }).call('run_command', { command: 'sleep 96' });
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });
});
