import { describe, expect, expectTypeOf, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { eventProblem } from '../../src/journal/check-event.js';
import { eventSchemas, type SchemaEvent } from '../../src/journal/event-schemas.js';
import { isEventType, type RunEvent } from '../../src/machine/event.js';
import { testEach } from '../run/harness.js';

/** A type with its intersections merged, `readonly` and `undefined` left out, at every depth: what JSON tells of it. */
type Plain<Type> = JsonValue extends Type
  ? JsonValue
  : Type extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Type extends object
      ? { -readonly [Key in keyof Type]: Plain<Exclude<Type[Key], undefined>> }
      : Type;

type Same<One, Other> =
  (<Probe>() => Probe extends One ? 1 : 2) extends <Probe>() => Probe extends Other ? 1 : 2 ? true : false;

type OfType<Event extends { readonly type: string }, Type> = Plain<Extract<Event, { readonly type: Type }>>;

/** For each type of event, whether both have the same fields with the same types. */
type Comparison<One extends { readonly type: string }, Other extends { readonly type: string }> = {
  [Type in One['type'] | Other['type']]: Same<OfType<One, Type>, OfType<Other, Type>>;
};

/** The types in which they differ. */
type Differences<One extends { readonly type: string }, Other extends { readonly type: string }> = {
  [Type in keyof Comparison<One, Other>]: Comparison<One, Other>[Type] extends true ? never : Type;
}[keyof Comparison<One, Other>];

describe('the schema of events', () => {
  test('is the type of events: whatever differs does not compile', () => {
    expectTypeOf<Differences<SchemaEvent, RunEvent>>().toEqualTypeOf<never>();
  });

  test('would not compile with a field more or less, another type, or a type of event more or less', () => {
    type A = { readonly type: 'A'; readonly x: string; readonly y?: number };
    type Z = { readonly type: 'Z' };
    expectTypeOf<Differences<A | Z, A | Z>>().toEqualTypeOf<never>();
    expectTypeOf<Differences<A | Z, A>>().toEqualTypeOf<'Z'>();
    expectTypeOf<Differences<A, A | Z>>().toEqualTypeOf<'Z'>();
    expectTypeOf<Differences<A, { type: 'A'; x: string }>>().toEqualTypeOf<'A'>();
    expectTypeOf<Differences<{ type: 'A'; x: string }, A>>().toEqualTypeOf<'A'>();
    expectTypeOf<Differences<A, { type: 'A'; x: string; y: number }>>().toEqualTypeOf<'A'>();
    expectTypeOf<Differences<A, { type: 'A'; x: 'one' | 'two'; y?: number }>>().toEqualTypeOf<'A'>();
    expectTypeOf<Differences<A, { type: 'A' } & { x: string; y?: number }>>().toEqualTypeOf<never>();
  });
});

const completed = {
  seq: 3,
  timestamp: '2026-01-01T00:00:00.000Z',
  run_id: 'run',
  description: 'Stage "a" completed: success',
  type: 'StageCompleted',
  node_id: 'a',
  name: 'A',
  index: 1,
  attempt: 1,
  visit: 1,
  duration: 12.5,
  outcome: {
    status: 'success',
    suggested_next_ids: ['b'],
    context_updates: { list: [1, null, { deep: true }], none: null },
  },
};

const answered = {
  seq: 4,
  timestamp: '2026-01-01T00:00:00Z',
  run_id: 'run',
  description: 'Stage "a" was answered: Y',
  type: 'InterviewCompleted',
  duration: 0,
  question: 'Go on?',
  question_id: 'a.1',
  stage: 'a',
  answer: { value: 'Y', selected_option: { key: 'Y', label: 'Yes' } },
};

describe('DESIGN 4: a line of a journal', () => {
  test('is sound with every optional field and without', () => {
    expect(eventProblem(completed)).toBeUndefined();
    expect(eventProblem({ ...completed, branch: 'x', outcome: { status: 'skipped' } })).toBeUndefined();
    expect(eventProblem(answered)).toBeUndefined();
  });

  test('is sound whatever an author calls a value', () => {
    const named = JSON.parse('{"__proto__":1,"constructor":{"toString":null},"":[]}');
    expect(eventProblem({ ...completed, outcome: { ...completed.outcome, context_updates: named } })).toBe(
      undefined,
    );
  });

  const { type: _type, ...untyped } = completed;
  const { duration: _duration, ...timeless } = completed;
  const { outcome: _outcome, ...withoutOutcome } = timeless;
  const started = { ...withoutOutcome, type: 'StageStarted' };
  const damaged: readonly { readonly name: string; readonly event: object; readonly problem: string }[] = [
    { name: 'no type', event: untyped, problem: 'it has no type' },
    {
      name: 'a type of a later version',
      event: { ...completed, type: 'Teleported' },
      problem: 'its type "Teleported" is unknown to this version',
    },
    { name: 'a field that is missing', event: timeless, problem: 'its field `duration` is missing' },
    {
      name: 'a field that is null',
      event: { ...completed, branch: null },
      problem: 'its field `branch` is null, but it must be a string',
    },
    {
      name: 'a field of a later version',
      event: { ...completed, cost: 3 },
      problem: 'its field `cost` is unknown to this version',
    },
    {
      name: 'a field that objects have of their own',
      event: JSON.parse(JSON.stringify(completed).replace('{', '{"__proto__":{},')),
      problem: 'its field `__proto__` is unknown to this version',
    },
    {
      name: 'a text in place of a number',
      event: { ...completed, duration: '12' },
      problem: 'its field `duration` is "12", but it must be a number, at least 0',
    },
    {
      name: 'a number with a fraction',
      event: { ...completed, attempt: 1.5 },
      problem: 'its field `attempt` is 1.5, but it must be a whole number, at least 1',
    },
    {
      name: 'a number that is too small',
      event: { ...completed, visit: 0 },
      problem: 'its field `visit` is 0, but it must be a whole number, at least 1',
    },
    {
      name: 'a time that is none',
      event: { ...completed, timestamp: '2026-02-30T00:00:00Z' },
      problem: 'its field `timestamp` is "2026-02-30T00:00:00Z", but it must be a time: ISO 8601, in UTC',
    },
    {
      name: 'a word that is none of those known',
      event: { ...completed, outcome: { status: 'done' } },
      problem:
        'its field `outcome.status` is "done", but it must be one of "success", "partial_success", "retry", "fail", "skipped"',
    },
    {
      name: 'an item of another type',
      event: { ...completed, outcome: { status: 'fail', suggested_next_ids: ['a', 2] } },
      problem: 'its field `outcome.suggested_next_ids.1` is 2, but it must be a string',
    },
    {
      name: 'a list in place of values',
      event: { ...completed, outcome: { status: 'fail', context_updates: [] } },
      problem: 'its field `outcome.context_updates` is [], but it must be an object',
    },
    {
      name: 'a text in place of a list',
      event: { ...completed, outcome: { status: 'fail', artifacts: 'all' } },
      problem: 'its field `outcome.artifacts` is "all", but it must be a list',
    },
    {
      name: 'something missing deep inside',
      event: { ...answered, answer: { value: 'Y', selected_option: { key: 'Y' } } },
      problem: 'its field `answer.selected_option.label` is missing',
    },
    {
      name: 'a flag that says no',
      event: { ...started, resumed: false },
      problem: 'its field `resumed` is false, but it must be true',
    },
    {
      name: 'a long value',
      event: { ...completed, attempt: 'x'.repeat(500) },
      problem: `its field \`attempt\` is "${'x'.repeat(59)}…, but it must be a whole number, at least 1`,
    },
  ];
  testEach(damaged, ({ event, problem }) => expect(eventProblem(event)).toBe(problem));

  test('can be of every type', () => {
    const types = Object.keys(eventSchemas());
    expect(types.filter((type) => !isEventType(type))).toEqual([]);
    for (const type of types) expect(eventProblem({ type, seq: 1 })).toMatch(/^its field `\w+` is missing$/);
  });
});
