import { expect, test } from 'vitest';
import { comparesCount, countsRounds } from '../../../src/lint/analysis/counters.js';
import { hardlyFails } from '../../../src/lint/analysis/hardly-fails.js';
import { parseCondition } from '../../../src/parser/condition/parse.js';

test.each([
  ['n=$((n + 1)); test $n -lt 5', true],
  ['((n++))', true],
  ['n=`expr $n + 1`', true],
  ['test "$ATTRACTOR_VISIT" -lt 4', true],
  ['echo $((2 * 3))', false],
  ['echo "1 + 1"', false],
  ['npm test', false],
])('34: whether `%s` counts rounds', (command, expected) => {
  expect(countsRounds(command)).toBe(expected);
});

test.each([
  ['context.attempts < 3', true],
  ['outcome=fail && !(loop.count >= 5)', true],
  ['internal.retry_count.fix < 3', true],
  ['context.score < 8', false],
  ['context.attempts=3', false],
  ['outcome=fail', false],
])('34: whether `%s` bounds a count', (text, expected) => {
  const { condition } = parseCondition(text);
  expect(condition !== undefined && comparesCount(condition)).toBe(expected);
});

test.each([
  ['echo done', true],
  ["mkdir -p out && printf '%s; false' x > out/y", true],
  ['rm -f x || true', true],
  ['make\ntrue', true],
  ['curl x > y || true; echo done', true],
  ['set -eu; make; echo done', false],
  ['make && echo done', false],
  ['npm test', false],
  ['echo a; npm test', false],
  ['test -f x || exit 1', false],
  ['exit 1', false],
])('20: whether `%s` hardly fails', (command, expected) => {
  expect(hardlyFails(command)).toBe(expected);
});
