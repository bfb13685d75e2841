import { describe, expect, it } from 'vitest';
import { readResults } from '../../../editors/vscode/src/tests/read-results.js';
import { readTestList } from '../../../editors/vscode/src/tests/read-test-list.js';

describe('the cases of a test file', () => {
  it('have their lines', () => {
    const { cases, problem } = readTestList(
      '# why\ncases:\n  - name: one\n  - { name: two }\n',
      'a.test.yaml',
    );
    expect(cases).toEqual([
      { name: 'one', place: { line: 2, column: 10 } },
      { name: 'two', place: { line: 3, column: 12 } },
    ]);
    expect(problem).toBeUndefined();
  });

  it.each([
    ['cases:\n  - nam: one\n', /^line 2: /],
    ['cases: [', /^line 1: not valid YAML/],
    ['', /needs|expected|file/],
  ])('%j: its first mistake is named', (text, expected) => {
    const { cases, problem } = readTestList(text, 'a.test.yaml');
    expect(cases).toEqual([]);
    expect(problem).toMatch(expected);
  });
});

describe('results of attractor test', () => {
  const file = {
    diagnostics: [],
    cases: [
      { name: 'good', passed: true, duration_ms: 1.5, status: 'success', mismatches: [] },
      {
        name: 'bad',
        passed: false,
        duration_ms: 2,
        mismatches: [{ message: 'another path', diff: '- a\n+ b', line: 4, column: 7 }],
      },
      { name: 'ended', passed: false, status: 'fail', reason: 'no edge', mismatches: [] },
    ],
  };

  it('are read by case', () => {
    const { cases, problems } = readResults(JSON.stringify({ files: [file] }), '');
    expect(problems).toEqual([]);
    expect([...cases]).toEqual([
      ['good', { passed: true, duration: 1.5, mismatches: [] }],
      [
        'bad',
        {
          passed: false,
          duration: 2,
          mismatches: [{ message: 'another path\n- a\n+ b', place: { line: 3, column: 6 } }],
        },
      ],
      [
        'ended',
        { passed: false, duration: 0, mismatches: [{ message: 'no edge', place: { line: 0, column: 0 } }] },
      ],
    ]);
  });

  it('name the mistakes of a file that cannot be played', () => {
    const broken = { cases: [], diagnostics: [{ message: 'unknown key', line: 2, column: 1 }] };
    expect(readResults(JSON.stringify({ files: [broken] }), '').problems).toEqual(['line 2: unknown key']);
  });

  it.each([
    ['', 'attractor: no such file', 'attractor: no such file'],
    ['not JSON', '', 'not JSON'],
    ['{"files":3}', '', '{"files":3}'],
    ['', '', 'attractor test printed nothing'],
  ])('that are none (%j, %j) are a problem', (stdout, stderr, expected) => {
    expect(readResults(stdout, stderr)).toEqual({ cases: new Map(), problems: [expected] });
  });
});
