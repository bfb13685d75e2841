import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { exitCodes } from '../../../src/lint/analysis/exit-codes.js';
import { fc } from '../../support/fast-check.js';

const simple = fc.constantFrom(
  'true',
  'false',
  ':',
  'echo PASS',
  "printf 'done\\n'",
  'exit 0',
  'exit 3',
  '! true',
  'test -f /none',
  'sh -c "exit 7"',
  'x=1',
);
const joint = fc.constantFrom(' && ', ' || ', '; ', '\n', ' | ');
const commands = fc
  .array(fc.tuple(simple, joint), { minLength: 1, maxLength: 5 })
  .map((parts) =>
    parts.map(([command, after], index) => command + (index === parts.length - 1 ? '' : after)).join(''),
  );

test('a shell ends with one of the codes that are read in a command', () => {
  // Some shells do not negate a part of a pipe.
  const all = [...new Set(fc.sample(commands, 400))].filter((command) => !command.includes('| !'));
  const known = all.flatMap((command) => {
    const codes = exitCodes(command);
    return codes === undefined ? [] : [{ command, codes }];
  });
  expect(known.length).toBeGreaterThan(100);
  const wrong = known.filter(({ command, codes }) => {
    const { status } = spawnSync('sh', ['-c', command], { stdio: 'ignore' });
    return !codes.has(status ?? -1);
  });
  expect(wrong).toEqual([]);
});

test.each<[string, readonly number[] | undefined]>([
  ['exit 3', [3]],
  ['make || exit 2', [0, 2]],
  ['make && exit 2 || exit 4', [2, 4]],
  ['make && exit 2', undefined],
  ['make', undefined],
  ['false || echo no', [0]],
  ['set -e; false; true', undefined],
  ['echo "${X:?missing}"', undefined],
  ['if make; then exit 2; else exit 3; fi', undefined],
  ['exit $code', undefined],
  ['make | exit 3', undefined],
])('%s: %j', (command, codes) => {
  const found = exitCodes(command);
  expect(found && [...found].sort((one, other) => one - other)).toEqual(codes);
});
