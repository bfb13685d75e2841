import { describe, expect, test } from 'vitest';
import { failureText, withoutOutput } from '../../../src/handlers/tools/failure-text.js';

const many = Array.from({ length: 2000 }, (_, index) => `line ${index}`).join('\n');

describe('19: the reason of a tool that failed, where its output is shown next to it', () => {
  test.each([
    ['nothing', '', '', 'exit code 1'],
    ['standard output', '', '\u001b[31m2 failed\u001b[0m\n', 'exit code 1'],
    ['the error output', 'a: b\n', '', 'exit code 1: a: b'],
    ['both', 'npm warn\n', '2 failed\n', 'exit code 1: npm warn'],
    ['both, long', 'npm warn\n', many, 'exit code 1: npm warn'],
  ])('of a tool that printed on %s', (_streams, stderr, stdout, reason) => {
    const text = failureText('exit code 1', stderr, stdout);
    expect(withoutOutput(text, stdout)).toBe(reason);
    expect(withoutOutput(`max retries exceeded: ${text}`, stdout)).toBe(`max retries exceeded: ${reason}`);
  });

  test('says all where the output is of another stage', () => {
    const text = failureText('exit code 1', '', '2 failed');
    expect(withoutOutput(text, 'all passed')).toBe('exit code 1: 2 failed');
  });
});
