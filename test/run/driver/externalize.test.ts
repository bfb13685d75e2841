import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import { Context } from '../../../src/handlers/context.js';
import { describeEvent } from '../../../src/machine/describe-event.js';
import type { EventBody } from '../../../src/machine/event.js';
import { type Outcome, reasonOf } from '../../../src/machine/outcome.js';
import { persistentMap } from '../../../src/machine/persistent.js';
import {
  externalizeOutcome,
  externalizeValues,
  longestUpdates,
} from '../../../src/run/driver/externalize.js';
import { resolveReferences } from '../../../src/run-directory/artifact-reference.js';
import { ArtifactStore } from '../../../src/run-directory/artifact-store.js';
import { StageArtifacts, withStoredArtifacts } from '../../../src/run-directory/stage-artifacts.js';
import { fc } from '../../support/fast-check.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const place = { nodeId: 'a', index: 3, attempt: 1 };
/** DESIGN 2: what an event may have. */
const longestEvent = 256 * 1024;
const megabyte = 'x'.repeat(1_000_000);

type Updates = Readonly<Record<string, JsonValue>>;

function newStore(): ArtifactStore {
  return new ArtifactStore({ now: () => 0 });
}

/** The event in which the outcome says the most: the reason of a failure stands in it three times. */
function eventSize(outcome: Outcome): number {
  const error = `max retries exceeded: ${reasonOf(outcome)}`;
  const final = { ...outcome, failure_reason: error };
  const fields = { node_id: 'a', name: 'A', index: 3, attempt: 1, visit: 1, duration: 1 };
  const event: EventBody = { type: 'StageFailed', ...fields, error, will_retry: false, outcome: final };
  const header = { seq: 1, timestamp: '2026-01-01T00:00:00.000Z', run_id: 'run' };
  return Buffer.byteLength(JSON.stringify({ ...header, ...event, description: describeEvent(event) }));
}

/** What the next stage sees. */
function contextOf(updates: Updates, store: ArtifactStore): Context {
  const values = persistentMap<string, JsonValue>().withMutations((mutable) => {
    for (const [key, value] of Object.entries(updates)) mutable.set(key, value);
  });
  return new Context(
    values,
    () => undefined,
    (value) => resolveReferences(value, store),
  );
}

const settled = (updates: Updates): Outcome => ({ status: 'success', context_updates: updates });
const updatesOf = (outcome: Outcome): Updates => outcome.context_updates ?? {};

describe('DESIGN 2: a large value', () => {
  test('of 1 MB goes to an artifact; a reference with its beginning takes its place', () => {
    const store = newStore();
    const outcome = externalizeOutcome(settled({ report: megabyte, short: 'text' }), place, store);
    expect(updatesOf(outcome)).toEqual({
      report: { $artifact: 'a.3.1.context.report', size_bytes: 1_000_002, preview: 'x'.repeat(200) },
      short: 'text',
    });
    expect(store.list()).toMatchObject([
      { id: 'a.3.1.context.report', name: 'report', size_bytes: 1_000_002 },
    ]);
    expect(outcome.artifacts).toEqual(['a.3.1.context.report']);
    expect(eventSize(outcome)).toBeLessThan(longestEvent);
  });

  test('is what a handler gets, by every way of reading', () => {
    const store = newStore();
    const given = { report: megabyte, list: [megabyte, 1], deep: { data: megabyte, status: 'ok' } };
    const updates = updatesOf(externalizeOutcome(settled(given), place, store));
    const context = contextOf(updates, store);
    expect(context.get('report')).toBe(megabyte);
    expect(context.getString('report')).toBe(megabyte);
    expect(context.get('list')).toEqual(given.list);
    expect(Object.fromEntries(context.entries())).toEqual(given);
    expect(context.snapshot()).toEqual(given);
    context.set('report', 'new');
    expect(context.get('report')).toBe('new');
  });

  test('is there after the process has ended', () => {
    const directory = path.join(temporaryDirectory(), 'artifacts');
    const open = () => new ArtifactStore({ directory, fileSystem: faultyFileSystem(), now: () => 0 });
    const given = {
      report: megabyte,
      ...Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'y'.repeat(600)])),
    };
    const written = JSON.stringify(externalizeOutcome(settled(given), place, open()));
    expect(contextOf(updatesOf(JSON.parse(written)), open()).snapshot()).toEqual(given);
  });

  test('70: up to 102400 bytes of JSON stay in the context, as tools need it (59)', () => {
    const outcome = settled({ a: 'x'.repeat(102_398), b: 'y'.repeat(10) });
    expect(externalizeOutcome(outcome, place, newStore())).toEqual(outcome);
    const store = newStore();
    externalizeOutcome(settled({ a: 'x'.repeat(102_399) }), place, store);
    expect(store.list()).toHaveLength(1);
    const tool = { 'tool.output': 'x'.repeat(64 * 1024), 'tool.stderr': 'y'.repeat(64 * 1024) };
    expect(externalizeOutcome(settled(tool), place, newStore())).toEqual(settled(tool));
  });

  test('in an object leaves the small members where conditions see them', () => {
    const store = newStore();
    const report = { status: 'ok', inner: { score: 7, rows: megabyte }, more: 'm'.repeat(50_000) };
    const updates = updatesOf(externalizeOutcome(settled({ report }), place, store));
    expect(updates.report).toMatchObject({
      status: 'ok',
      inner: { score: 7, rows: { size_bytes: 1_000_002 } },
      more: report.more,
    });
    expect(contextOf(updates, store).get('report')).toEqual(report);
  });

  test('in a list takes the list with it', () => {
    const store = newStore();
    const updates = updatesOf(externalizeOutcome(settled({ list: [{ a: megabyte }] }), place, store));
    expect(updates.list).toMatchObject({
      $artifact: 'a.3.1.context.list',
      preview: `[{"a":"${'x'.repeat(193)}`,
    });
  });

  test('has a preview of whole characters', () => {
    const updates = externalizeValues({ a: '\u{1f600}'.repeat(100_000) }, 'inputs', newStore());
    expect(updates.a).toMatchObject({ $artifact: 'inputs.context.a', preview: '\u{1f600}'.repeat(200) });
  });
});

describe('DESIGN 2: many values', () => {
  const many = (count: number, size: number): Updates =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'y'.repeat(size)]));

  test('500 small ones that exceed 256 KB together: the largest go until the rest fits', () => {
    const store = newStore();
    const given = { ...many(500, 600), outlier: 'z'.repeat(5000) };
    const outcome = externalizeOutcome(settled(given), place, store);
    const updates = updatesOf(outcome);
    expect(updates.outlier).toMatchObject({ size_bytes: 5002, preview: 'z'.repeat(40) });
    expect(Buffer.byteLength(JSON.stringify(updates))).toBeLessThanOrEqual(longestUpdates);
    expect(store.list().length).toBeLessThan(500);
    expect(Object.keys(updates)).toEqual(Object.keys(given));
    expect(eventSize(outcome)).toBeLessThan(longestEvent);
    expect(contextOf(updates, store).snapshot()).toEqual(given);
  });

  test('so many that their keys alone are too much are a failure that says what to do', () => {
    expect(externalizeOutcome(settled(many(20_000, 10)), place, newStore())).toEqual({
      status: 'fail',
      failure_reason: expect.stringMatching(
        /^the stage set 20000 context keys, which take \d+ bytes .* put them into one object under one key$/,
      ),
      retryable: false,
      failure_category: 'terminal',
    });
  });
});

describe('DESIGN 2: long texts', () => {
  test('notes and reason keep their beginning and say where the rest is', () => {
    const store = newStore();
    const long = `first line\n${'e'.repeat(50_000)}`;
    const outcome = externalizeOutcome({ status: 'fail', failure_reason: long, notes: long }, place, store);
    expect(outcome.failure_reason).toMatch(
      /^first line\ne+ … \(the beginning of 50011 bytes; artifact "a\.3\.1\.failure_reason" has it all\)$/,
    );
    expect(outcome.notes).toContain('artifact "a.3.1.notes"');
    expect(store.retrieve('a.3.1.failure_reason')).toBe(long);
    expect(eventSize(outcome)).toBeLessThan(longestEvent);
  });

  test.each<[name: string, routing: Partial<Outcome>]>([
    ['label', { preferred_label: megabyte }],
    ['suggestions', { suggested_next_ids: Array.from({ length: 3000 }, (_, index) => `node${index}`) }],
  ])('what routes cannot be cut: a %s that is too long is a failure', (_name, routing) => {
    const outcome = externalizeOutcome({ status: 'success', ...routing }, place, newStore());
    expect(outcome).toMatchObject({ status: 'fail', failure_category: 'terminal' });
    expect(outcome.failure_reason).toMatch(
      /^the preferred label and the suggested node ids .* at most 12288/,
    );
  });
});

describe('the ids of artifacts', () => {
  const idsOf = (updates: Updates, at = place): readonly string[] => {
    const store = newStore();
    externalizeOutcome(settled(updates), at, store);
    return store.list().map(({ id }) => id);
  };

  test('are the same when an attempt runs again after a crash, and others for any other attempt', () => {
    const updates = { 'any key': megabyte };
    expect(idsOf(updates)).toEqual(idsOf({ 'any key': `${megabyte}!` }));
    const others = [
      { ...place, attempt: 2 },
      { ...place, index: 4 },
      { ...place, nodeId: 'b' },
    ].map((at) => idsOf(updates, at)[0]);
    expect(new Set([idsOf(updates)[0], ...others]).size).toBe(4);
  });

  test('tell keys apart that are not part of an id, or only nested alike', () => {
    const keys = [
      'a b',
      'a_b',
      'a/b',
      'ä',
      '',
      '.',
      '..',
      '__proto__',
      'x'.repeat(200),
      `${'x'.repeat(200)}y`,
      'p.q',
    ];
    const updates = Object.fromEntries([
      ...keys.map((key) => [key, megabyte] as const),
      ['p', { q: megabyte }],
    ]);
    expect(new Set(idsOf(updates)).size).toBe(keys.length + 1);
  });

  test('of texts are none of a key', () => {
    const store = newStore();
    const notes = 'n'.repeat(50_000);
    const outcome = externalizeOutcome({ ...settled({ notes: megabyte }), notes }, place, store);
    expect(store.retrieve('a.3.1.notes')).toBe(notes);
    expect(contextOf(updatesOf(outcome), store).get('notes')).toBe(megabyte);
  });

  test('fit with the longest names', () => {
    const at = { nodeId: 'n'.repeat(300), index: 9_999_999_999, attempt: 99_999 };
    expect(idsOf({ ['k'.repeat(300)]: megabyte }, at)[0]?.length).toBeLessThanOrEqual(128);
  });
});

describe('a reference', () => {
  test('to an artifact that is lost is an error, not another value', () => {
    const updates = updatesOf(externalizeOutcome(settled({ report: megabyte }), place, newStore()));
    expect(() => contextOf(updates, newStore()).get('report')).toThrow(
      'artifact "a.3.1.context.report" not found',
    );
  });

  test('is not what merely looks a little like one', () => {
    const alike: Updates = {
      a: { $artifact: 'x' },
      b: { $artifact: 1, size_bytes: 1, preview: '' },
      c: ['$artifact'],
    };
    expect(contextOf(alike, newStore()).snapshot()).toEqual(alike);
  });
});

test('an outcome of any values fits into an event, and its values come back', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc
      .tuple(fc.constantFrom('x', '€', '\n', '\u0000', '\u{1f600}'), fc.integer({ min: 0, max: 30_000 }))
      .map(([character, count]) => character.repeat(count)),
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 100 }), value, { maxKeys: 20 }),
      text,
      (given, reason) => {
        const store = newStore();
        const outcome = externalizeOutcome({ ...settled(given), failure_reason: reason }, place, store);
        expect(eventSize(outcome)).toBeLessThan(longestEvent);
        expect(contextOf(updatesOf(outcome), store).snapshot()).toEqual({ ...given });
      },
    ),
    { numRuns: 50, endOnFailure: true },
  );
});

describe('5.5: what a stage has stored', () => {
  test('is named by its outcome, without what it removed again', () => {
    const all = newStore();
    all.store('before', 'n', 1);
    const artifacts = new StageArtifacts(all, () => undefined);
    expect(withStoredArtifacts({ status: 'success' }, artifacts)).toEqual({ status: 'success' });
    artifacts.store('a', 'n', 1);
    artifacts.store('b', 'n', 2);
    artifacts.remove('a');
    expect(artifacts.has('before')).toBe(true);
    expect(artifacts.list()).toHaveLength(2);
    expect(artifacts.retrieve('b')).toBe(2);
    expect(withStoredArtifacts({ status: 'success' }, artifacts)).toEqual({
      status: 'success',
      artifacts: ['b'],
    });
    const named: Outcome = { status: 'success', artifacts: ['large', 'b'] };
    expect(withStoredArtifacts(named, artifacts).artifacts).toEqual(['large', 'b']);
    artifacts.clear();
    expect(artifacts.stored.size).toBe(0);
    expect(all.list()).toEqual([]);
  });

  test('does not make the event large', () => {
    const artifacts = new StageArtifacts(newStore(), () => undefined);
    for (let index = 0; index < 2000; index += 1) artifacts.store(`a${index}.${'x'.repeat(100)}`, 'n', 1);
    const { artifacts: named } = withStoredArtifacts({ status: 'success' }, artifacts);
    expect(Buffer.byteLength(JSON.stringify(named))).toBeLessThanOrEqual(32 * 1024);
    expect(named?.length).toBeGreaterThan(300);
  });
});
