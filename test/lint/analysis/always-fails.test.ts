import { expect, test } from 'vitest';
import { alwaysFails } from '../../../src/lint/analysis/always-fails.js';

test.each([
  ['exit 1', true],
  ['echo "no; exit 0" >&2; exit 2', true],
  ['echo failed\nfalse\n', true],
  ['exit 0', false],
  ['exit', false],
  ['exit $code', false],
  ['test -f x || exit 1', false],
  ['if true; then exit 0; fi; exit 1', false],
  ['exit 0; exit 1', false],
  ['echo exit 1', false],
  ['', false],
])('%j: %s', (command, expected) => {
  expect(alwaysFails(command)).toBe(expected);
});
