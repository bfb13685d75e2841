import { describe, expect, it } from 'vitest';
import { maskedFailure } from '../../../src/lint/analysis/masked-failure.js';

/** The check, and what hides its exit code. */
const hidden: readonly (readonly [command: string, check: string, mask: string])[] = [
  ['npm test || true', 'npm test', '|| true'],
  ['npm test || :', 'npm test', '|| :'],
  ['npm test || exit 0', 'npm test', '|| exit 0'],
  ['npm test 2>&1 || echo "tests failed"', 'npm test 2>&1', '|| echo "tests failed"'],
  ['npm test && echo pass || echo fail', 'npm test', '&& echo pass || echo fail'],
  ['npm test; echo done', 'npm test', '; echo done'],
  ['npm test\necho "exit: $?"\n', 'npm test', '\necho "exit: $?"'],
  ['npm test; exit 0', 'npm test', '; exit 0'],
  ['cd app && npm test; true', 'npm test', '; true'],
  ['npm test 2>&1 | tee test.log', 'npm test 2>&1', '| tee test.log'],
  ['npm test | tail -n 20', 'npm test', '| tail -n 20'],
  ['npm test | grep -v skip | tee log', 'grep -v skip', '| tee log'],
  ['set -e; npm test || true', 'npm test', '|| true'],
  ['CI=1 npm test || true', 'CI=1 npm test', '|| true'],
  ['lint; (cd a; npm test) ; test -f x; echo done', 'test -f x', '; echo done'],
  ['out=$(npm test 2>&1); echo "$out"', 'out=$(npm test 2>&1)', '; echo "$out"'],
  ['grep -q "a || b; c" f || true', 'grep -q "a || b; c" f', '|| true'],
  ['if [ -f x ]; then echo y; fi; npm test; echo done', 'npm test', '; echo done'],
];

const heard: readonly string[] = [
  'npm test',
  'true',
  'echo hello; exit 0',
  'mkdir -p out || true',
  'npm test; exit $?',
  'npm test || exit 1; echo done',
  'if npm test; then echo a; else exit 1; fi; echo done',
  'npm test || { echo failed; exit 1; }',
  'npm test || echo failed && test -f x',
  'set -e; npm test; echo done',
  'set -eu\nnpm test\necho done',
  'npm test || true; npm run lint',
  'npm test; code=$?; echo done; exit $code',
  'npm test >log 2>&1; code=$?; cat log; exit $code',
  "bash -c 'set -o pipefail; npm test | tee log'",
  'set -o pipefail; npm test | tee log',
  'npm test | grep passed',
  'if npm test; then echo ok; else exit 1; fi',
  'if npm test; then echo ok; fi',
  '! npm test; echo "$?" | grep -q 1',
  'server & echo started',
  'cat <<EOF || true\nnpm test\nEOF',
  'check() { npm test; }; check || true',
  '#!/usr/bin/env bash -e\nnpm test\necho done',
  'npm test # || true',
  'echo "npm test || true"',
  'trap "exit 1" EXIT; npm test; echo done',
  '( npm test',
  '"$( "$( "$(',
];

describe('the end of a command', () => {
  it.each(hidden)('hides a failure: %j', (command, check, mask) => {
    const found = maskedFailure(command);
    const part = (span?: { start: number; end: number }) =>
      span === undefined ? undefined : command.slice(span.start, span.end);
    expect({ check: part(found?.check), mask: part(found?.mask)?.trimStart() }).toEqual({
      check,
      mask: mask.trimStart(),
    });
  });

  it.each(heard)('lets a failure be heard, or nothing is known of it: %j', (command) => {
    expect(maskedFailure(command)).toBeUndefined();
  });
});
