import { describe, expect, test } from 'vitest';
import { valuesInNestedShells } from '../../../src/parser/template/nested-shell.js';
import { fc } from '../../support/fast-check.js';

/** `@` stands for a value. */
const value = '${context.v}';
const found = (command: string) =>
  valuesInNestedShells(command.replaceAll('@', value)).map(({ runner }) => runner);

describe('§12 Values at run time: what a second shell reads', () => {
  test.each([
    ["sh -c 'echo @'", 'sh -c'],
    ['sh -c "echo @"', 'sh -c'],
    ['sh -c @', 'sh -c'],
    ['/usr/bin/env bash -c "@"', 'bash -c'],
    ["bash -lc 'echo @'", 'bash -c'],
    ["bash -c -e 'echo @'", 'bash -c'],
    ["bash -o pipefail -c 'echo @'", 'bash -c'],
    ["FOO=1 BAR=2 sh -c 'echo @'", 'sh -c'],
    ["true && ! sh -c 'echo @'", 'sh -c'],
    ["(cd x; zsh -c 'echo @')", 'zsh -c'],
    ["for f in *; do sh -c 'echo @'; done", 'sh -c'],
    ["find . -exec sh -c 'echo @' \\;", 'sh -c'],
    ["echo `sh -c 'echo @'`", 'sh -c'],
    ['eval echo @', 'eval'],
    ['x=1 eval "x=@"', 'eval'],
    ['ssh host echo @', 'ssh'],
    ['sudo ssh -i key -p 22 -tt user@host "echo @"'.replace('user@', 'user'), 'ssh'],
    ["ssh host 'echo @' | sh -c 'cat @'", 'ssh', 'sh -c'],
    ['"sh" -"c" "@"', 'sh -c'],
  ])('%s', (command, ...runners) => expect(found(command)).toEqual(runners));

  test.each([
    'sh -c \'echo "$1"\' sh @',
    'sh -c "$(cat @)"',
    'sh script.sh -c @',
    'sh @',
    'echo sh -c @',
    'printf "%s" eval @',
    'ssh @ uptime',
    'ssh -i @ host uptime',
    'echo @ | ssh host cat',
    'sh -c "exit $((@))"',
    'git commit -c @',
    "sh -c 'true'; echo @",
    '# eval @',
    'my-eval @',
    'echo @',
  ])('nothing in: %s', (command) => expect(found(command)).toEqual([]));

  test('each value once, with its place', () => {
    const text = `eval ${value} "a ${value}"`;
    const places = valuesInNestedShells(text).map(({ path, span }) => [
      path,
      text.slice(span.start, span.end),
    ]);
    expect(places).toEqual([
      ['context.v', value],
      ['context.v', value],
    ]);
  });

  test('any text is read, and nothing is found twice', () => {
    const pieces = fc.constantFrom(
      'sh',
      ' ',
      '-c',
      "'",
      '"',
      '`',
      '$(',
      ')',
      ';',
      '\n',
      '<<E',
      'E',
      '#',
      'eval',
      '\\',
      value,
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const starts = valuesInNestedShells(parts.join('')).map(({ span }) => span.start);
        expect(new Set(starts).size).toBe(starts.length);
      }),
    );
  });
});
