import { describe, expect, test } from 'vitest';
import { readHandlerResult, readStatusFile, statusFileText } from '../../src/handlers/read-outcome.js';

const file = (content: object) => readStatusFile(JSON.stringify(content));
const customFile = (content: object) => readStatusFile(JSON.stringify(content), { customOutcomes: true });
const outcome = (expected: object) => ({ kind: 'outcome', outcome: expected });
const invalid = (problem: string) => ({ kind: 'invalid', problem });

describe('44g: a word of its own next to its status', () => {
  const read = (value: object, customOutcomes = true) =>
    readHandlerResult(value, () => undefined, { customOutcomes });

  test('is seen where the run allows it', () => {
    const given = { status: 'success', custom_outcome: 'needs_review', notes: 'n' };
    expect(read(given)).toEqual(outcome(given));
    expect(customFile({ outcome: 'success', custom_outcome: 'needs_review' })).toEqual(
      outcome({ status: 'success', custom_outcome: 'needs_review' }),
    );
    expect(read({ status: 'fail', custom_outcome: null })).toEqual(outcome({ status: 'fail' }));
  });

  test.each<[name: string, value: object, isAllowed: boolean, problem: string]>([
    [
      'is not passed over where the run does not',
      { status: 'success', custom_outcome: 'needs_review' },
      false,
      'custom_outcome "needs_review"; this run allows none (customOutcomes, --custom-outcomes)',
    ],
    [
      'is not a failure',
      { status: 'fail', custom_outcome: 'needs_review' },
      true,
      'custom_outcome "needs_review" with the status "fail"; a custom outcome counts as a success, so its status must be success',
    ],
    [
      'is not like a status',
      { status: 'success', custom_outcome: 'Failed' },
      true,
      'custom_outcome "Failed"; a custom outcome must not resemble a status',
    ],
    [
      'is a word',
      { status: 'success', custom_outcome: 5 },
      true,
      'custom_outcome 5; a custom outcome must not resemble a status',
    ],
  ])('%s', (_name, value, isAllowed, problem) => {
    expect(read(value, isAllowed)).toEqual(invalid(`invalid outcome: ${problem}`));
  });
});

test('3.6: nobody asks to be left alone for more than an hour', () => {
  const long = { status: 'retry', retry_after_ms: 1e12 };
  const expected = outcome({ status: 'retry', retry_after_ms: 3_600_000 });
  expect(readHandlerResult(long, () => undefined)).toEqual(expected);
  expect(file({ outcome: 'retry', retry_after_ms: 1e12 })).toEqual(expected);
});

describe('4.12: an outcome with single values for the context, as tools return it', () => {
  const read = (value: object) => readHandlerResult(value, () => undefined);

  test('is read as it is, and copied', () => {
    const updates: Record<string, unknown> = JSON.parse(
      '{"text":"a","number":1,"truth":true,"none":null,"__proto__":2}',
    );
    const given = { status: 'success', notes: 'n', context_updates: updates };
    const before = structuredClone(given);
    const found = read(given);
    updates.text = 'changed later';
    expect(found).toEqual(outcome(before));
    expect(JSON.stringify(found)).toContain('"__proto__":2');
  });

  test.each<[name: string, value: object, expected: object]>([
    [
      'without notes',
      { status: 'success', context_updates: { a: 1 } },
      outcome({ status: 'success', context_updates: { a: 1 } }),
    ],
    [
      'with a value that is not JSON',
      { status: 'success', notes: '', context_updates: { a: Number.NaN } },
      outcome({ status: 'success', notes: '', context_updates: { a: 'NaN' } }),
    ],
    [
      'with an object',
      { status: 'success', notes: '', context_updates: { a: { b: 1 } } },
      outcome({ status: 'success', notes: '', context_updates: { a: { b: 1 } } }),
    ],
    ['with a list in its place', { status: 'success', notes: '', context_updates: [1] }, { kind: 'invalid' }],
    [
      'with null in its place',
      { status: 'success', notes: '', context_updates: null },
      outcome({ status: 'success', notes: '' }),
    ],
    [
      'with another field',
      { status: 'fail', notes: '', context_updates: { a: 1 }, retryable: 'no' },
      { kind: 'invalid' },
    ],
  ])('is read alike %s', (_name, value, expected) => {
    expect(read(value)).toMatchObject(expected);
  });
});

describe('C: a status file', () => {
  test('has the fields of the contract', () => {
    expect(
      file({
        outcome: 'partial_success',
        preferred_next_label: 'Fix',
        suggested_next_ids: ['b', 'c'],
        context_updates: { key: 'value', 'nested.key': 'value' },
        notes: 'Human-readable execution summary',
      }),
    ).toEqual(
      outcome({
        status: 'partial_success',
        preferred_label: 'Fix',
        suggested_next_ids: ['b', 'c'],
        context_updates: { key: 'value', 'nested.key': 'value' },
        notes: 'Human-readable execution summary',
      }),
    );
  });

  test.each(['success', 'retry', 'fail', 'partial_success', 'skipped'])('C, 37: may say %s', (word) => {
    expect(file({ outcome: word })).toEqual(outcome({ status: word }));
    expect(file({ status: word })).toEqual(outcome({ status: word }));
  });

  test.each([
    ['succeeded', 'success'],
    ['failed', 'fail'],
    ['error', 'fail'],
    ['partially_succeeded', 'partial_success'],
  ])('44g: may say %s for %s, under either name', (alias, status) => {
    expect(file({ outcome: alias })).toEqual(outcome({ status }));
    expect(file({ status: alias })).toEqual(outcome({ status }));
  });

  test.each(['SUCCESS', 'Success', ' success', 'ok', 'done', 'needs_dod', 'Failed', '', 1, true, {}, []])(
    '44g, 84: must not say %j',
    (word) => {
      const { kind, problem } = file({ outcome: word }) as { kind: string; problem: string };
      expect(kind).toBe('invalid');
      expect(problem).toBe(
        `invalid outcome ${JSON.stringify(word)}; it must be one of success, partial_success, retry, fail, skipped`,
      );
    },
  );

  test('says a long wrong word in short', () => {
    const read = file({ outcome: 'x'.repeat(1000) });
    expect(read).toMatchObject({ problem: expect.stringMatching(/^invalid outcome "x{59}…; it must be/) });
  });

  test.each<[name: string, content: object, expected: object]>([
    ['61: outcome goes before status', { outcome: 'fail', status: 'success' }, { status: 'fail' }],
    ['61: null is nothing', { outcome: null, status: 'success' }, { status: 'success' }],
    [
      '61: either name of the label',
      { outcome: 'success', preferred_label: 'A', preferred_next_label: 'B' },
      { status: 'success', preferred_label: 'A' },
    ],
    [
      'C: an empty label is none',
      { outcome: 'success', preferred_label: '', preferred_next_label: 'B' },
      { status: 'success', preferred_label: 'B' },
    ],
    ['61: a failure without a reason', { outcome: 'fail' }, { status: 'fail' }],
    ['unknown keys are passed over', { outcome: 'success', model: 'm' }, { status: 'success' }],
    [
      'D: the category of a failure',
      { outcome: 'fail', failure_category: 'terminal', retry_after_ms: 5 },
      { status: 'fail', failure_category: 'terminal', retry_after_ms: 5 },
    ],
    [
      '17g: keys that objects have of their own',
      { outcome: 'success', context_updates: JSON.parse('{"__proto__":1}') },
      { status: 'success', context_updates: JSON.parse('{"__proto__":1}') },
    ],
  ])('%s', (_name, content, expected) => expect(file(content)).toEqual(outcome(expected)));

  test.each<[name: string, text: string, problem: string]>([
    ['nothing', '', 'it is not JSON'],
    ['half of it', '{"outcome":"succ', 'it is not JSON'],
    ['a text', '"success"', 'it is not an object with an "outcome"'],
    ['a list', '[]', 'it is not an object with an "outcome"'],
    ['null', 'null', 'it is not an object with an "outcome"'],
    ['no outcome', '{"notes":"n"}', 'it has no "outcome"'],
    ['an outcome that is null', '{"outcome":null}', 'it has no "outcome"'],
  ])('59b: is invalid with %s', (_name, text, problem) => {
    expect(readStatusFile(text)).toEqual(invalid(problem));
  });

  test.each<[field: string, value: unknown]>([
    ['preferred_label', 1],
    ['suggested_next_ids', 'b'],
    ['suggested_next_ids', [1]],
    ['context_updates', []],
    ['context_updates', 'x'],
    ['notes', {}],
    ['failure_reason', 1],
    ['retryable', 'no'],
    ['failure_category', 'transient'],
    ['retry_after_ms', -1],
  ])('59b: is invalid with %s %j, and says which field', (field, value) => {
    expect(file({ outcome: 'success', [field]: value })).toMatchObject({
      kind: 'invalid',
      problem: expect.stringContaining(`invalid outcome: ${field}`),
    });
  });

  test('may begin with a byte order mark', () => {
    expect(readStatusFile('\uFEFF{"outcome":"success"}')).toEqual(outcome({ status: 'success' }));
  });
});

describe('44g: under customOutcomes', () => {
  test.each(['needs_dod', 'converged', 'Approve', 'v1.2-rc'])(
    '%s counts as a success and is kept',
    (word) => {
      expect(customFile({ outcome: word, notes: 'n' })).toEqual(
        outcome({ status: 'success', custom_outcome: word, notes: 'n' }),
      );
    },
  );

  test('a handler may return such a word too', () => {
    const read = readHandlerResult({ status: 'converged' }, () => undefined, { customOutcomes: true });
    expect(read).toEqual(outcome({ status: 'success', custom_outcome: 'converged' }));
  });

  test.each([
    ['fail', 'fail'],
    ['failed', 'fail'],
    ['success', 'success'],
    ['partially_succeeded', 'partial_success'],
  ])('%s stays what it is', (word, status) => {
    expect(customFile({ outcome: word })).toEqual(outcome({ status }));
  });

  test.each([
    'FAIL',
    'Failed',
    'failure',
    'Partial-Success',
    'ok',
    '',
    'two words',
    '1st',
    'x'.repeat(101),
    7,
  ])('%j is refused: it is not a word, or too like a status to count as a success', (word) => {
    expect(customFile({ outcome: word })).toMatchObject({
      kind: 'invalid',
      problem: expect.stringContaining('or a custom word'),
    });
  });

  test('the status file shows the word', () => {
    expect(JSON.parse(statusFileText({ status: 'success', custom_outcome: 'converged' })).outcome).toBe(
      'converged',
    );
  });
});

test('61: a status file that is written has all keys, and is read back as it was', () => {
  const written = {
    status: 'fail',
    preferred_label: 'Fix',
    suggested_next_ids: ['b'],
    context_updates: { x: 1 },
    notes: 'n',
    failure_reason: 'no',
  } as const;
  expect(Object.keys(JSON.parse(statusFileText({ status: 'success' })))).toEqual([
    'outcome',
    'preferred_label',
    'preferred_next_label',
    'suggested_next_ids',
    'context_updates',
    'notes',
    'failure_reason',
  ]);
  expect(readStatusFile(statusFileText(written))).toEqual(outcome(written));
});
