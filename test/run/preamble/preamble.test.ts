import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import { type CountTokens, loadTokenCounter } from '../../../src/handlers/count-tokens.js';
import { buildPreamble } from '../../../src/run/preamble/preamble.js';
import type { PastEntry, PreambleMaterial } from '../../../src/run/preamble/preamble-material.js';
import { anyCharacter } from '../../support/any-character.js';
import { fc } from '../../support/fast-check.js';
import { longPast, material, secondRound, stage } from './sample.js';

/** The table of §5.4; where it gives no number, the one that we chose. */
const budgets = [
  ['truncate', 500],
  ['compact', 1000],
  ['summary:low', 600],
  ['summary:medium', 1500],
  ['summary:high', 3000],
] as const;
const summaries = ['compact', 'summary:low', 'summary:medium', 'summary:high'] as const;

let count: CountTokens;
beforeAll(async () => {
  count = await loadTokenCounter();
});

describe('5.4: what a stage is told', () => {
  test.each(budgets.map(([mode]) => mode))('under %s of a run in its second round', async (mode) => {
    const file = path.join(import.meta.dirname, 'drawings', `${mode.replace(':', '-')}.txt`);
    await expect(`${await buildPreamble(mode, secondRound)}\n`).toMatchFileSnapshot(file);
  });

  test('under full, as much as a summary:high as long as its conversation knows nothing', async () => {
    expect(await buildPreamble('full', secondRound)).toBe(await buildPreamble('summary:high', secondRound));
  });

  test('under full, only the news once its conversation knows the run', async () => {
    const file = path.join(import.meta.dirname, 'drawings', 'full-news.txt');
    const text = await buildPreamble('full', { ...secondRound, isNews: true });
    await expect(`${text}\n`).toMatchFileSnapshot(file);
  });

  test('nothing under full if there is no news, and the run if that was never told', async () => {
    const nothing = material({ past: [], counts: { stages: 1, failures: 0, retries: 0 }, known: 1 });
    expect(await buildPreamble('full', { ...nothing, isNews: true })).toBe('');
    expect(await buildPreamble('full', nothing)).toContain('Goal: Parse JSON');
  });

  test.each(budgets.map(([mode]) => mode))('nothing under %s before anything has happened', async (mode) => {
    const first = material({ past: [], context: [{ key: 'n', value: 1 }] });
    expect(await buildPreamble(mode, first)).toBe('');
  });

  test('only goal and run under truncate', async () => {
    expect(await buildPreamble('truncate', material())).toBe(
      'Goal: Parse JSON\nRun: 20260314-091500-parser-k3v9qa',
    );
    expect(await buildPreamble('truncate', material({ goal: '' }))).toBe(
      'Run: 20260314-091500-parser-k3v9qa',
    );
  });

  test.each(summaries)('%s says why an attempt is made again', async (mode) => {
    const past: readonly PastEntry[] = [
      { kind: 'failed_attempt', id: 'review', visit: 1, attempt: 1, reason: 'no verdict' },
      { kind: 'interruption', id: 'review', visit: 1 },
    ];
    const place = { id: 'review', label: 'review', visit: 1, attempt: 2 };
    const text = await buildPreamble(mode, material({ past, stage: place }));
    expect(text).toContain('This is attempt 2. The one before failed: no verdict');
    expect(text).toContain('cut off before and runs again');
    const later = await buildPreamble(mode, material({ past, stage: { ...place, visit: 2, attempt: 1 } }));
    expect(later).not.toMatch(/This is attempt|cut off before/);
  });

  test.each([
    [undefined, 'The run was sent to your stage because stage test failed.'],
    ['tests', 'The run was sent back to your stage because the goal gate tests is not satisfied.'],
  ])('why the run jumped there (gate: %s)', async (gate, notice) => {
    const past: readonly PastEntry[] = [{ kind: 'jump', from: 'test', to: 'review', gate }, stage('test')];
    expect(await buildPreamble('compact', material({ past }))).toContain(notice);
    const since = [stage('fix'), ...past];
    expect(await buildPreamble('compact', material({ past: since }))).not.toContain(notice);
  });

  test.each([
    [1, 'Your stage: review\n'],
    [2, 'entered for the 2nd time'],
    [3, 'entered for the 3rd time'],
    [11, 'entered for the 11th time'],
    [21, 'entered for the 21st time'],
    [112, 'entered for the 112th time'],
  ])('which visit it is: %i', async (visit, words) => {
    const place = { id: 'review', label: 'review', visit, attempt: 1 };
    expect(await buildPreamble('compact', material({ stage: place }))).toContain(words);
  });
});

describe('5.4: what does not fit', () => {
  test.each(summaries)('%s leaves out the oldest stages, and says how many', async (mode) => {
    const past = longPast(250);
    const text = await buildPreamble(
      mode,
      material({ past, counts: { stages: 1250, failures: 0, retries: 0 } }),
    );
    const told = [...text.matchAll(/^- stage_(\d+)/gm)].map(([, number]) => Number(number));
    expect(told).toEqual(Array.from({ length: told.length }, (_, index) => 250 - index));
    expect(text).toContain(`- … and ${1250 - told.length} earlier stages`);
  });

  test.each(budgets.filter(([mode]) => mode !== 'truncate'))('%s uses its budget', async (mode, budget) => {
    const text = await buildPreamble(mode, material({ past: longPast(250) }));
    expect(count(text)).toBeGreaterThan(budget * 0.9);
  });

  test('stages, values and answers share the room', async () => {
    const context = Array.from({ length: 90 }, (_, index) => ({
      key: `key_${index}`,
      value: `a value that takes some room: ${'x y z '.repeat(5)}`,
    }));
    const decision = {
      kind: 'decision',
      id: 'gate',
      question: 'Ship?',
      answer: 'No',
      timedOut: false,
    } as const;
    const text = await buildPreamble('compact', material({ past: [decision, ...longPast(250)], context }));
    const lines = (start: string) => text.split('\n').filter((line) => line.startsWith(start)).length;
    expect(lines('- stage_')).toBeGreaterThan(10);
    expect(lines('- key_')).toBeGreaterThan(6);
    expect(text).toMatch(/- … and \d+ more values/);
    expect(text).toContain('- gate, asked "Ship?": No');
  });

  test('a stage that was visited often is told once, by its latest visit', async () => {
    const past = [3, 2, 1].map((visit) => stage('work', { visit, notes: `round ${visit}` }));
    const text = await buildPreamble('compact', material({ past }));
    expect(text).toContain('- work: success (visit 3) – round 3');
    expect(text).not.toMatch(/round [12]|earlier/);
    expect(await buildPreamble('summary:high', material({ past }))).toContain(
      '- work (first visit): success – round 1',
    );
  });
});

const textOf = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: anyCharacter, maxLength }),
    fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '漢', 'か', '👩🏽‍🚀', '🏳️‍🌈', 'é', '\u2028'),
      maxLength,
    }),
    fc.constantFrom(
      '<|endoftext|>',
      'word '.repeat(2000),
      'x'.repeat(9000),
      '漢字'.repeat(4000),
      '😀'.repeat(3000),
    ),
  );

const value: fc.Arbitrary<JsonValue> = fc.oneof(
  textOf(300),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
);

const id = fc.oneof(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/), fc.constant('n'.repeat(400)));
const visit = fc.integer({ min: 1, max: 2000 });

const entry: fc.Arbitrary<PastEntry> = fc.oneof(
  fc.record({
    kind: fc.constant('stage' as const),
    id,
    label: textOf(60),
    visit,
    status: fc.constantFrom('success', 'fail', 'partial_success', 'skipped', 'retry'),
    retries: fc.integer({ min: 0, max: 9 }),
    notes: textOf(600),
    response: textOf(200),
    output: textOf(600),
  }),
  fc.record({
    kind: fc.constant('failed_attempt' as const),
    id,
    visit,
    attempt: visit,
    reason: textOf(400),
  }),
  fc.record({ kind: fc.constant('interruption' as const), id, visit }),
  fc.record({
    kind: fc.constant('jump' as const),
    from: id,
    to: id,
    gate: fc.option(id, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('decision' as const),
    id,
    question: textOf(200),
    answer: textOf(200),
    timedOut: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('run_failure' as const), id, reason: textOf(300) }),
);

const anyMaterial: fc.Arbitrary<PreambleMaterial> = fc.record({
  goal: textOf(3000),
  runId: fc.stringMatching(/^[0-9]{8}-[0-9]{6}-[a-z]{1,30}-[a-z0-9]{6}$/),
  pipeline: id,
  stage: fc.record({ id, label: textOf(100), visit, attempt: visit }),
  isNews: fc.boolean(),
  known: fc.nat(3),
  counts: fc.record({ stages: fc.nat(1e6), failures: fc.nat(1e5), retries: fc.nat(1e5) }),
  past: fc.array(entry, { minLength: 1, maxLength: 80, size: 'max' }),
  context: fc.array(fc.record({ key: fc.oneof(id, textOf(40)), value }), { maxLength: 40, size: 'max' }),
});

describe('5.4: of any run whatever', () => {
  test('a preamble keeps its budget, names the latest stage, cuts no character in two, and is always the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyMaterial, fc.constantFrom(...budgets), async (of, [mode, budget]) => {
        const text = await buildPreamble(mode, of);
        expect(count(text)).toBeLessThanOrEqual(budget);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text.split('\n')).not.toContain('---');
        const latest = of.past.find(({ kind }) => kind === 'stage');
        if (mode !== 'truncate' && latest?.kind === 'stage' && latest.id.length < 100) {
          expect(text).toContain(`\n- ${latest.id}`);
        }
        expect(await buildPreamble(mode, structuredClone(of))).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  test('124: full never tells less than compact', async () => {
    await fc.assert(
      fc.asyncProperty(anyMaterial, async (of) => {
        const compact = await buildPreamble('compact', { ...of, isNews: false });
        const full = await buildPreamble('full', of);
        for (const section of ['stages', 'context', 'people decided'])
          expect(itemsOf(full, section).length).toBeGreaterThanOrEqual(itemsOf(compact, section).length);
        for (const notice of ['The run was sent', 'This is attempt', 'Your stage was cut off'])
          expect(full.includes(notice)).toBe(compact.includes(notice));
      }),
      { numRuns: 50 },
    );
  });
});

/** Items of a section: in every preamble they are the first ones of the same list. */
function itemsOf(text: string, section: string): readonly string[] {
  const lines = text.split('\n');
  const at = lines.findIndex(
    (line) => line.endsWith('the latest first:') && line.toLowerCase().includes(section),
  );
  const rest = at === -1 ? [] : lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith('- '));
  return (end === -1 ? rest : rest.slice(0, end)).filter((line) => !line.startsWith('- … and '));
}
