import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

// `attractor lint --fix` as its user meets it (SEMANTICS 98).

const ends = 'start [shape=Mdiamond]\n  done [shape=Msquare]\n  work [prompt="work"]\n';
const good = `digraph good {\n  ${ends}  start -> work -> done\n}\n`;
/** Two mistakes that a machine can mend. */
const broken = `strict digraph good {\n  ${ends}  start -- work -> done\n}\n`;
/** One that it can mend, and one that it cannot. */
const wrong = `digraph good {\n  ${ends}  start -- work\n  work -> dnoe\n}\n`;

const read = (cwd: string, file: string) => readFileSync(path.join(cwd, file), 'utf8');

describe('98: lint --fix', () => {
  test('writes what it has fixed and leaves other files alone', async () => {
    const cwd = directoryWith({ 'broken.dot': broken, 'good.dot': good });
    chmodSync(path.join(cwd, 'broken.dot'), 0o640);
    const before = statSync(path.join(cwd, 'good.dot'));
    const finished = await attractor(['lint', '--fix', '.'], { cwd });
    expect(finished).toEqual({
      status: 0,
      stdout: '✔ no problems in 2 files\n',
      stderr: 'fixed 2 problems in broken.dot\n',
    });
    expect(read(cwd, 'broken.dot')).toBe(good);
    expect(statSync(path.join(cwd, 'broken.dot')).mode & 0o777).toBe(0o640);
    expect(statSync(path.join(cwd, 'good.dot'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(readdirSync(cwd).sort()).toEqual(['broken.dot', 'good.dot']);
  });

  test('says what is left, where it now is, and ends as that demands', async () => {
    const cwd = directoryWith({ 'wrong.dot': `\uFEFF${wrong}` });
    const { status, stdout, stderr } = await attractor(['lint', '--fix', '--format', 'json', 'wrong.dot'], {
      cwd,
    });
    expect(status).toBe(1);
    expect(stderr).toBe('fixed 1 problem in wrong.dot\n');
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { rule: string; line: number; severity: string }[];
    };
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors).toContainEqual(expect.objectContaining({ rule: 'edge_target_exists', line: 6 }));
    expect(read(cwd, 'wrong.dot')).toBe(`\uFEFF${wrong.replace('--', '->')}`);
  });

  test('prints standard input with its fixes, and the findings on standard error', async () => {
    const { status, stdout, stderr } = await attractor(['lint', '--fix', '-'], { input: wrong });
    expect(status).toBe(1);
    expect(stdout).toBe(wrong.replace('--', '->'));
    expect(stderr).toContain('fixed 1 problem in <stdin>\n');
    expect(stderr).toContain('<stdin>:6:11: error[edge_target_exists]');
    for (const input of [good, `\uFEFF${good}`]) {
      expect(await attractor(['lint', '--fix', '-'], { input })).toMatchObject({ status: 0, stdout: input });
    }
  });

  test('a severity of the call counts, and what is off is not fixed', async () => {
    const text = good.replace('start -> work', 'start -> work [condition="outcome==success"]; work');
    const cwd = directoryWith({ 'a.dot': text });
    await attractor(['lint', '--fix', '--rule', 'condition_double_equals=off', 'a.dot'], { cwd });
    expect(read(cwd, 'a.dot')).toBe(text);
    await attractor(['lint', '--fix', 'a.dot'], { cwd });
    expect(read(cwd, 'a.dot')).toBe(text.replace('==', '='));
  });

  test('is not for watching', async () => {
    const cwd = directoryWith({});
    writeFileSync(path.join(cwd, 'good.dot'), good);
    expect(await attractor(['lint', '--fix', '--watch', 'good.dot'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot be combined with --format, --fix'),
    });
  });
});
