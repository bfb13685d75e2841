import { describe, expect, test } from 'vitest';
import { play, told } from './play.js';

/** One case with these expectations, after a failed test. */
function expecting(expectations: string): string {
  return `cases:
  - name: repairs once
    inputs: { branch: topic }
    script:
      nodes:
        test: [{ outcome: fail, failure_reason: tests red }, { outcome: success, context_updates: { score: 7 } }]
    expect:
${expectations.replace(/^/gm, '      ')}
`;
}

describe('an expectation that holds', () => {
  test.each([
    'status: success',
    'path: [start, draft, test, fix, test, ok, exit]',
    'path: { contains: fix, excludes: [], in_order: [draft, fix, ok] }',
    'visits: { test: 2, fix: 1, draft: 1 }',
    'context: { score: 7, nothing: null, outcome: success }',
    'prompts: { draft: about topic, fix: [Repair, tests red] }',
    'asked: [ok]',
    'asked: [{ stage: ok, text: enough }]',
    'cost_at_most: 0',
  ])('%s', async (text) => {
    expect(told(await play(expecting(text)))).toEqual([]);
  });
});

describe('an expectation that does not hold says what happened', () => {
  test.each([
    ['status: fail', 'status: expected status fail, but it was success'],
    ['status: paused', 'status: expected status paused, but it was success'],
    ['failure: red', 'failure: expected a failure with the text "red", but the run did not fail'],
    [
      'path: [start, draft, test, ok, exit]',
      'path.is: the path differs\n start\n draft\n test\n+fix\n+test\n ok\n exit',
    ],
    [
      'path: { contains: [exit], excludes: [fix] }',
      'path.excludes[0]: expected the path not to contain "fix"; it was start → draft → test → fix → test → ok → exit',
    ],
    [
      'path: { in_order: [fix, draft] }',
      'path.in_order[1]: expected "draft" after "fix"; the path was start → draft → test → fix → test → ok → exit',
    ],
    ['visits: { fix: 2 }', 'visits.fix: expected 2 visits of "fix", but there was 1'],
    ['context: { score: 8 }', 'context.score: the value of `score` differs\n-8\n+7'],
    ['context: { score: null }', 'context.score: the value of `score` differs\n-(not set)\n+7'],
    [
      'prompts: { draft: about main }',
      'prompts.draft[0]: expected a prompt of "draft" with the text "about main"; its prompt was:\n Write about topic.',
    ],
    ['prompts: { test: x }', 'prompts.test: expected a prompt of "test", but it got none'],
    ['asked: []', 'asked: the stages that ask differ\n+ok'],
    [
      'asked: [{ stage: ok, text: bad }]',
      'asked[0].text: expected "ok" to ask "bad", but it asked "Good enough?"',
    ],
  ])('%s', async (text, message) => {
    expect(told(await play(expecting(text)))).toEqual([message]);
  });
});

test('without a status, a case expects success', async () => {
  const text = 'cases: [{ name: a, script: { nodes: { draft: { outcome: fail, failure_reason: no } } } }]';
  expect(told(await play(text))).toEqual(['status: expected status success, but it was fail: no']);
});

test('a failure is expected by its reason, a pause by its status', async () => {
  const text = `cases:
  - name: fails
    script: { nodes: { draft: { outcome: fail, failure_reason: no network } } }
    expect: { status: fail, failure: network }
  - name: nobody answers
    script: { answers: { ok: [] } }
    expect: { status: paused, asked: [ok] }
  - name: fails otherwise
    script: { nodes: { draft: { outcome: fail, failure_reason: no network } } }
    expect: { status: fail, failure: disk }
`;
  expect(told(await play(text))).toEqual([
    'failure: expected a failure with the text "disk", but the reason was "no network"',
  ]);
});

test('a case plays the same every time, in virtual time', async () => {
  const text = `cases:
  - name: waits
    script: { nodes: { draft: [{ delay: 3h }], test: [{ outcome: retry }, { outcome: success }] } }
    seed: 3
`;
  const [one, other] = [await play(text), await play(text)];
  expect(one.cases[0]?.seen).toEqual(other.cases[0]?.seen);
  expect(told(one)).toEqual([]);
});
