import { expect, test } from 'vitest';
import { alwaysFails } from '../../../src/lint/analysis/always-fails.js';

test.each([
  ['exit 1', true],
  ['echo "no; exit 0" >&2; exit 2', true],
  ['echo failed\nfalse\n', true],
  ['echo "no key" >&2 && exit 1', true],
  ['test -f x && echo there && false', true],
  ['exit 1 # for good', true],
  ['if test -f x; then cat x; fi; exit 1', true],
  ['cat report | head -5; exit 3', true],
  ['{ echo no; exit 1; }', true],
  ['( echo no; exit 1 )', true],
  ['exit 1; echo never', true],
  ['exit 0', false],
  ['exit', false],
  ['exit $code', false],
  ['test -f x || exit 1', false],
  ['if true; then exit 0; fi; exit 1', false],
  ['exit 0; exit 1', false],
  ['echo exit 1', false],
  ['exit 1 || true', false],
  ['echo no && exit 1 || true', false],
  ['echo no | exit 1 | cat', false],
  ['! exit 1', true],
  ['! false', false],
  ['false &', false],
  ['(exit 1); echo done', false],
  ['trap "exit 0" EXIT; exit 1', false],
  ['exit 256', false],
  ['exit "$code" 1', false],
  ['', false],
])('%j: %s', (command, expected) => {
  expect(alwaysFails(command)).toBe(expected);
});
