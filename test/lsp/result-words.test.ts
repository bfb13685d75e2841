import { describe, expect, it } from 'vitest';
import { resultWords } from '../../src/lsp/server/result-words.js';

const refused = `a.dot:5:3: warning[unbounded_loop]: the loop may run until \`max_steps\` ends the run
5 |   plan [prompt="
  |   ^^^^
  = help: add \`max_visits\` to a stage of the loop

a.dot: error[model]: no provider and no model is named (plan)
  = help: set the missing key

a.dot:7:3: error[syntax/missing_comma]: attributes are separated by commas
7 |   plan [a=b c=d]
  |            ^
  = help: insert a comma

✖ 2 errors, 1 warning; nothing was started
`;

describe('the words of a command', () => {
  it.each([
    [
      'are its errors with their help',
      { status: 2, stdout: '', stderr: refused },
      `a.dot: error[model]: no provider and no model is named (plan)
  = help: set the missing key
a.dot:7:3: error[syntax/missing_comma]: attributes are separated by commas
  = help: insert a comma`,
    ],
    [
      'are its last lines if no finding is an error',
      { status: 1, stdout: '✘ build', stderr: 'attractor: the run has failed\n  at: build\n' },
      'attractor: the run has failed\n  at: build',
    ],
    [
      'are what it printed if it succeeded, without the coverage',
      { status: 0, stdout: 'TN:\nSF:a.dot\nFNF:2\nend_of_record\n3 cases: 3 passed\n', stderr: '' },
      '3 cases: 3 passed',
    ],
    ['are none of a command that said nothing', { status: 1, stdout: '', stderr: '' }, ''],
  ])('%s', (_, result, expected) => expect(resultWords(result)).toBe(expected));

  it('are not many', () => {
    const stderr = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    expect(resultWords({ status: 1, stdout: '', stderr }).split('\n')).toHaveLength(12);
  });
});
