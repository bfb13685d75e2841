import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { pipeline } from '../../run/harness.js';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';
import { show } from '../screen.js';

const failing = (command: string) =>
  `digraph p { start [shape=Mdiamond] end [shape=Msquare] t [shape=parallelogram, tool_command="${command}"] start -> t -> end }`;

async function tailOf(command: string): Promise<readonly string[]> {
  const cwd = directoryWith({ 'p.dot': failing(command) });
  const { stdout } = await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  const lines = stdout.split('\n');
  const first = lines.findIndex((line) => line.startsWith('✖ t'));
  return lines.slice(first + 1, lines.indexOf('', first));
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `    │ ${from + index}`);

describe('the end of what a failed stage has printed', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['nothing', 'exit 1', []],
    ['one line, which is the reason', 'echo no; exit 1', []],
    ['a few lines', 'seq 1 3; exit 1', numbers(1, 3)],
    [
      'many lines',
      'seq 1 143; exit 1',
      [...numbers(124, 143), '    full output: r/t/stdout.log (143 lines)'],
    ],
    [
      'more than is read',
      'seq 1 100000; exit 1',
      [...numbers(99_981, 100_000), '    full output: r/t/stdout.log (589 kB)'],
    ],
    [
      'both outputs',
      'seq 1 30; seq 101 130 >&2; exit 1',
      [
        '    stderr.log:',
        ...numbers(121, 130),
        '    full output: r/t/stderr.log (30 lines)',
        '    stdout.log:',
        ...numbers(21, 30),
        '    full output: r/t/stdout.log (30 lines)',
      ],
    ],
    [
      'what would steer a terminal',
      String.raw`printf '\\033[2Ja\\033[31mb\\n50%%\\r100%%\\n\\007::error::c\\n'; exit 1`,
      ['    │ ab', '    │ 100%', '    │ ␇::error::c'],
    ],
  ])('%s', async (_what, command, tail) => {
    expect(await tailOf(command)).toEqual(tail);
  });

  test('or its last words, if it has printed nothing', async () => {
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { report }) {
        report({ kind: 'text', channel: 'response', text: 'I looked at the tests.\n\nThey need ' });
        report({ kind: 'text', channel: 'response', text: 'a database.' });
        return Promise.reject(new Error('the connection broke'));
      },
    };
    const { lines } = await show(pipeline('a; start -> a -> exit'), { backend });
    const first = lines.findIndex((line) => line.startsWith('✖ a'));
    expect(lines.slice(first + 1, first + 4)).toEqual([
      '    │ I looked at the tests.',
      '    │ ',
      '    │ They need a database.',
    ]);
  });
});
