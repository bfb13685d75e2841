import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

const foreign =
  'digraph G {\n  start [shape=Mdiamond]; done [shape=Msquare]\n  a [shape=parallelogram, script="make", timeout=5]\n  start -> a\n  a -> done [condition="outcome=succeeded"]\n  a -> done [condition="outcome=failed"]\n}\n';
const migrated = foreign
  .replace('digraph', '// migrated: from fabro\ndigraph')
  .replace('script', 'tool_command')
  .replace('succeeded', 'success')
  .replace('failed', 'fail');
const own = 'digraph G { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }\n';

const read = (cwd: string, file: string) => readFileSync(path.join(cwd, file), 'utf8');

describe('migrate', () => {
  test('prints the migrated pipeline, and changes no file', async () => {
    const cwd = directoryWith({ 'a.dot': foreign });
    expect(await attractor(['migrate', 'a.dot'], { cwd })).toEqual({
      status: 0,
      stdout: migrated,
      stderr: 'a.dot: migrated from fabro: 3 rewritten, 0 changed, 0 lost\n',
    });
    expect(read(cwd, 'a.dot')).toBe(foreign);
  });

  test('--write changes files in place, and leaves those of this language', async () => {
    const cwd = directoryWith({ 'a.dot': foreign, 'b.dot': own });
    const finished = await attractor(['migrate', '--write', '.'], { cwd });
    expect(finished).toEqual({
      status: 0,
      stdout: '',
      stderr: 'a.dot: migrated from fabro: 3 rewritten, 0 changed, 0 lost\nb.dot: nothing to migrate\n',
    });
    expect([read(cwd, 'a.dot'), read(cwd, 'b.dot')]).toEqual([migrated, own]);
  });

  test('reads standard input', async () => {
    expect(await attractor(['migrate', '-'], { input: foreign })).toMatchObject({
      status: 0,
      stdout: migrated,
    });
  });

  test('--format json has the notes and the findings', async () => {
    const cwd = directoryWith({ 'a.dot': foreign.replace('timeout=5', 'max_tokens=5') });
    const { stdout } = await attractor(['migrate', '--format', 'json', 'a.dot'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        {
          file: 'a.dot',
          status: 'migrated',
          from: 'fabro',
          text: expect.stringContaining('tool_command="make"'),
          notes: [
            { kind: 'rewritten', line: 3, column: 27, message: 'script becomes tool_command' },
            { kind: 'lost', line: 3, column: 42 },
            { kind: 'rewritten', line: 5 },
            { kind: 'rewritten', line: 6 },
          ],
          diagnostics: expect.any(Array),
        },
      ],
    });
  });

  test('fails with the errors of lint that remain', async () => {
    const cwd = directoryWith({ 'a.dot': foreign.replace('start -> a', 'start -> b') });
    const finished = await attractor(['migrate', '--write', 'a.dot'], { cwd });
    expect(finished.status).toBe(1);
    expect(finished.stderr).toContain('a.dot:5:12: error[edge_target_exists]');
    expect(read(cwd, 'a.dot')).toContain('tool_command');
  });
});

/** Calls that cannot be carried out. */
const refused: readonly (readonly [
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  message: RegExp,
])[] = [
  [
    ['a.dot'],
    { 'a.dot': 'hello' },
    /cannot migrate a\.dot: it is not a pipeline that is known here \(fabro, kilroy, /,
  ],
  [['a.dot'], { 'a.dot': 'digraph G { a -> ' }, /a\.dot:1:\d+/],
  [['a.dot'], { 'a.dot': 'digraph G { a -> b }' }, /is a Graphviz drawing, not a pipeline/],
  [['a.dot'], {}, /cannot read a\.dot/],
  [['--from', 'fabor', 'a.dot'], { 'a.dot': own }, /unknown dialect "fabor".*did you mean fabro\?/],
  [['-'], {}, /--write changes files; it cannot be combined with -/],
];

describe('migrate refuses', () => {
  test.each(refused)('%j of %j', async (args, files, message) => {
    const cwd = directoryWith(files);
    const finished = await attractor(['migrate', '--write', ...args], { cwd });
    expect(finished).toMatchObject({ status: 2, stdout: '' });
    expect(finished.stderr).toMatch(message);
    for (const [file, text] of Object.entries(files)) expect(read(cwd, file)).toBe(text);
  });

  test('one file, and migrates the others', async () => {
    const cwd = directoryWith({ 'a.dot': 'hello', 'b.dot': foreign });
    expect(await attractor(['migrate', '--write', '.'], { cwd })).toMatchObject({ status: 2 });
    expect([read(cwd, 'a.dot'), read(cwd, 'b.dot')]).toEqual(['hello', migrated]);
    expect(existsSync(path.join(cwd, 'a.dot.dot'))).toBe(false);
  });
});

const rye =
  'tool_type: graph\nconfig:\n  start: a\n  nodes:\n    a: { type: gate, next: done }\n    done: { type: return }\n';
const hive = '{ "nodes": [{ "id": "a" }], "edges": [], "entry_node": "a", "terminal_nodes": ["a"] }';

describe('a file of another format', () => {
  test('is left as it is; the result is written next to it', async () => {
    const cwd = directoryWith({ 'a.yaml': rye, 'b.json': hive });
    expect(await attractor(['migrate', '--write', 'a.yaml', 'b.json'], { cwd })).toEqual({
      status: 0,
      stdout: '',
      stderr:
        'a.yaml: migrated from Rye to a.dot: 0 changed, 0 lost\nb.json: migrated from Hive to b.dot: 0 changed, 0 lost\n',
    });
    expect([read(cwd, 'a.yaml'), read(cwd, 'b.json')]).toEqual([rye, hive]);
    expect(read(cwd, 'a.dot')).toMatch(/^\/\/ migrated: from Rye\ndigraph /);
    expect(await attractor(['migrate', '--write', 'a.yaml'], { cwd })).toMatchObject({ status: 0 });
  });

  test('never replaces a file that is something else', async () => {
    const cwd = directoryWith({ 'a.yaml': rye, 'a.dot': own });
    const finished = await attractor(['migrate', '--write', 'a.yaml'], { cwd });
    expect(finished).toMatchObject({ status: 2, stdout: '' });
    expect(finished.stderr).toContain('cannot write a.dot: it exists and has other content');
    expect(read(cwd, 'a.dot')).toBe(own);
  });
});

describe('lint of a pipeline of another tool', () => {
  const fabro = foreign.replace('timeout=5', 'max_tokens=5, project_memory=false');
  const summary =
    'this looks like a fabro pipeline: `attractor migrate` rewrites 1 of its 3 unknown attributes';

  test.each([['pretty'], ['json']])('says it once: %s', async (format) => {
    const brief = await attractor(['lint', '--format', format, '-'], { input: fabro });
    expect(brief.stdout).toContain(summary);
    expect(brief.stdout).not.toContain('attribute_known');
    const whole = await attractor(['lint', '--verbose', '--format', format, '-'], { input: fabro });
    expect(whole.stdout).toContain(summary);
    expect(whole.stdout).toContain('attribute_known');
  });
});
