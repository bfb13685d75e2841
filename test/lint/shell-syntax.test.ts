import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { isPlainCommand } from '../../src/lint/analysis/plain-command.js';
import type { CheckShell } from '../../src/lint/shell-check.js';
import { checkShell } from '../../src/setup/check-shell.js';
import { fc } from '../support/fast-check.js';

const hasShell = existsSync('/bin/sh');

/** What a shell of its own says of one command. */
function isReadable(command: string): boolean {
  return spawnSync('/bin/sh', ['-n'], { input: `${command}\n` }).status === 0;
}

const pieces = [
  ...[
    'if',
    'then',
    'fi',
    'for',
    'in',
    'do',
    'done',
    'case',
    'esac',
    '{',
    '}',
    '(',
    ')',
    ';;',
    '!',
    'echo',
    'x=1',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    '\n',
    ';',
    '&',
    '&&',
    '||',
    '|',
    '>',
    '<',
    '>>',
    '<<',
    '<<EOF',
    '2>&1',
    '#',
    '\\',
    '\\\n',
  ],
  ...["'", '"', '`', '$', '$(', '${', '${x}', '$x', '*', 'word', 'é', '\t', '[', ']', '[[', '=', 'EOF', '\r'],
];
const command = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((words) => words.join(''));

describe.skipIf(!hasShell)('commands', () => {
  it('are plain only where a shell can read them', () => {
    fc.assert(
      fc.property(fc.array(command.filter(isPlainCommand), { minLength: 30, maxLength: 60 }), (commands) => {
        const answers = checkShell(commands);
        expect(commands.filter((_, index) => answers[index] !== undefined)).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });

  it('are judged together as each is by itself', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 20 }), (commands) => {
        const answers = checkShell(commands);
        expect(answers.map((answer) => answer === undefined)).toEqual(commands.map(isReadable));
      }),
      { numRuns: 10 },
    );
  });

  it('make no mistake of another one good', () => {
    const wrong = command.filter((text) => !isReadable(text));
    fc.assert(
      fc.property(fc.array(wrong, { minLength: 1, maxLength: 3 }), (commands) => {
        expect(checkShell(commands)).not.toContain(undefined);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['{', '}'],
    ["echo $( 'a", "b' )"],
    ['echo "a', 'echo " b'],
    ['make &&', 'make all'],
    ['echo $((', '1 ))'],
    ['echo ${x', 'y}'],
    ['cat <<EOF', 'EOF'],
    ['echo `', 'true `'],
  ])('are read one by one where %j might end in %j', (...commands) => {
    expect(checkShell(commands).map((answer) => answer === undefined)).toEqual(commands.map(isReadable));
  });

  it.each([
    'echo ok',
    'npm test -- --coverage 2>&1 | tail -n 20 > out.txt && echo "$HOME" || exit 1',
    "FOO=bar grep -c 'x; y' a.txt; true &",
    'cd work &&\nmake',
  ])('are plain: %s', (text) => {
    expect(isPlainCommand(text)).toBe(true);
  });

  it('are told where and why the shell gives up', () => {
    const [fine, wrong, open] = checkShell(['echo end_of_command_0', 'echo a\nif true; fi', 'echo "a']);
    expect(fine).toBeUndefined();
    expect(wrong).toEqual({ message: expect.stringMatching(/fi/), line: 2 });
    expect(open?.message).toMatch(/quot|EOF|match/i);
  });

  it('are read and not run', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'attractor-shell-'));
    const evil = [
      '$(touch ran)',
      'touch ran',
      '}\ntouch ran',
      'EOF\ntouch ran',
      '" ; touch ran ; "',
      ')\ntouch ran\n(',
    ];
    const before = process.cwd();
    try {
      process.chdir(directory);
      checkShell(evil.map((text) => `${text}\nend_of_command_0`));
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      process.chdir(before);
      rmSync(directory, { recursive: true });
    }
  });
});

const pipeline = (nodes: string) => `digraph G { on_failure=stop; timeout="1h"
  start [shape=Mdiamond] exit [shape=Msquare]
  ${nodes}
  start -> a -> exit
}`;

describe('shell_syntax', () => {
  const found = (text: string, shell?: CheckShell) =>
    compile(text, shell && { checkShell: shell }).diagnostics.filter(({ rule }) => rule === 'shell_syntax');

  it('asks once, for each command once, and with variables for values', () => {
    const asked: (readonly string[])[] = [];
    const shell: CheckShell = (commands) => {
      asked.push(commands);
      return commands.map(() => undefined);
    };
    const nodes = [
      'a [shape=parallelogram, tool_command="(wc ${inputs.f})"]',
      'b [shape=parallelogram, tool_command="(wc ${inputs.f})"]',
      `c [shape=parallelogram, tool_command="(echo '\${inputs.f}')"]`,
      'd [shape=parallelogram, tool_command="make all"]',
      'e [shape=parallelogram, tool_command="cat <<${inputs.f}"]',
    ];
    found(pipeline(nodes.join('\n')), shell);
    expect(asked).toEqual([['(wc "${ATTRACTOR_VALUE_1}")', `(echo ''"\${ATTRACTOR_VALUE_1}"'')`]]);
  });

  it('says nothing where there is no shell, nor that its suppression is of no use', () => {
    const text = pipeline(
      '// attractor-disable-next-line shell_syntax\n  a [shape=parallelogram, tool_command="(ls"]',
    );
    expect(compile(text).diagnostics).toEqual([]);
  });

  it('points at the line', () => {
    const text = pipeline('a [shape=parallelogram, tool_command="(\n  second line\n"]');
    const shell: CheckShell = (commands) => commands.map(() => ({ message: 'no', line: 2 }));
    const [finding] = found(text, shell);
    expect(text.slice(finding?.span.start, finding?.span.end)).toBe('second line');
  });
});
