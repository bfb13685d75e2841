import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { FileFollower } from '../../../src/cli/progress/file-follower.js';
import { LineAssembler } from '../../../src/cli/progress/line-assembler.js';
import { paintedLine } from '../../../src/cli/progress/verbose-output.js';
import type { CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { pipeline } from '../../run/harness.js';
import { directoryWith } from '../../support/directory-with.js';
import { fc } from '../../support/fast-check.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { attractor } from '../attractor.js';
import { show } from '../screen.js';

describe('lines of pieces', () => {
  test('are the lines of the text, however it is cut', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '👍', ' '), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, sizes) => {
        const text = lines.join('\n');
        const assembler = new LineAssembler();
        const got: string[] = [];
        let at = 0;
        for (const size of sizes) {
          got.push(...assembler.add(text.slice(at, at + size)));
          at += size;
        }
        got.push(...assembler.add(text.slice(at)), ...assembler.end());
        // An empty line at the end cannot be told from none.
        expect(got.join('\n')).toBe(text.replace(/\n$/, ''));
      }),
    );
  });

  test('do not wait for ever for the end of a line', () => {
    const assembler = new LineAssembler();
    const words = 'word '.repeat(300);
    const lines = [...assembler.add(words), ...assembler.end()];
    expect(lines.join('')).toBe(words);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(400);
  });
});

describe('a file that a command writes', () => {
  test('is read as it grows, without what an earlier attempt left', () => {
    const file = path.join(temporaryDirectory(), 'stdout.log');
    writeFileSync(file, 'earlier\n');
    const later = new FileFollower(file, Date.now() + 60_000);
    expect(later.read()).toBeUndefined();
    const follower = new FileFollower(file, 0);
    expect(follower.read()).toEqual(['earlier']);
    appendFileSync(file, Buffer.from('one\ntw👍').subarray(0, 8));
    expect(follower.read()).toEqual(['one']);
    appendFileSync(file, Buffer.from('tw👍').subarray(4));
    expect(follower.readToEnd()).toEqual(['tw👍']);
    rmSync(file);
    writeFileSync(file, 'new\n');
    expect(follower.read()).toEqual(['new']);
    expect(follower.read()).toBeUndefined();
  });

  test('of any size is read to its end, but for the beginning of very much', () => {
    const file = path.join(temporaryDirectory(), 'stdout.log');
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(file, line.repeat(200_000));
    const lines = new FileFollower(file, 0).readToEnd();
    expect(lines[0]).toBe(`… ${200_000 * 100 - 16 * 1024 * 1024} bytes are only in ${file}`);
    expect(lines.at(-1)).toBe(line.trim());
    expect(lines.join('\n').length).toBeGreaterThan(16 * 1000 * 1000);
  });
});

test('lines keep their colours, and nothing else that a terminal obeys', () => {
  const line = 'a\u001b[2J\u001b[31mred\u001b[0m\u0007';
  expect(paintedLine(line, new Chalk({ level: 1 }))).toBe('a\u001b[31mred\u001b[39m␇');
  expect(paintedLine(line, new Chalk({ level: 0 }))).toBe('ared␇');
});

describe('--verbose', () => {
  test('shows what commands print, each line after its stage, before the stage ends', async () => {
    const command = (name: string) =>
      `for i in 1 2 3; do echo ${name} $i; echo error $i >&2; done; printf rest`;
    const dot = `digraph p {
      start [shape=Mdiamond]; end [shape=Msquare]; node [shape=parallelogram]
      fan [shape=component]; join [shape=tripleoctagon]
      one [tool_command="${command('one')}"]; other [tool_command="${command('other')}; exit 1"]
      start -> fan; fan -> one -> join; fan -> other -> join; join -> end
    }`;
    const cwd = directoryWith({ 'p.dot': dot });
    const { stdout } = await attractor(['run', 'p.dot', '--run-dir', 'r', '--verbose'], { cwd });
    const lines = stdout.split('\n');
    const of = (name: string) => lines.filter((line) => line.startsWith(name));
    for (const name of ['one', 'other']) {
      const prefix = `${name.padEnd(5)} │ `;
      expect(of(`${name} `).sort()).toEqual(
        [1, 2, 3]
          .flatMap((i) => [`${prefix}${name} ${i}`, `${prefix}error ${i}`])
          .concat(`${prefix}rest`)
          .sort(),
      );
      const ended = lines.findIndex((line) => new RegExp(`^[✔✖] ${name} `, 'u').test(line));
      expect(ended).toBeGreaterThan(lines.lastIndexOf(`${prefix}rest`));
    }
    // It is on the screen already.
    expect(stdout).not.toContain('full output: r/');
  });

  test('shows what models say and do', async () => {
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { report }) {
        const call = { call_id: '1', tool: 'bash' };
        report({ kind: 'text', channel: 'reasoning', text: 'First ' });
        report({ kind: 'text', channel: 'reasoning', text: 'the tests\n\u001b[2Jthen' });
        report({ kind: 'tool_call_started', ...call, input: { command: 'npm test' } });
        const output = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
        report({ kind: 'tool_call_completed', ...call, success: false, output, duration: 1 });
        report({ kind: 'text', channel: 'response', text: 'All is red.' });
        return Promise.resolve('done');
      },
    };
    const { lines } = await show(pipeline('a; start -> a -> exit'), {
      backend,
      progress: { isVerbose: true },
    });
    const said = lines.filter((line) => line.includes('│'));
    expect(said).toEqual([
      'a     │ First the tests',
      'a     │ ␛[2Jthen',
      'a     │ ▸ bash npm test',
      ...Array.from({ length: 10 }, (_, index) => `a     │   line ${index}`),
      'a     │   … 2 more lines',
      'a     │ All is red.',
    ]);
    expect(lines.findIndex((line) => line.startsWith('✔ a'))).toBe(lines.indexOf('a     │ All is red.') + 1);
  });
});
