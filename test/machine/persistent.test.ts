import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import {
  nameList,
  orderedPersistentMap,
  type PersistentList,
  persistentList,
  persistentMap,
  plainData,
  valueOfData,
} from '../../src/machine/persistent.js';
import { fc } from '../support/fast-check.js';

const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.nat(3)));

test('DESIGN 1.3: a map is what a map would be, keeps the order of its keys, and stays as it was', () => {
  fc.assert(
    fc.property(entries, entries, (first, changes) => {
      const base = first.reduce(
        (map, [key, value]) => map.set(key, value),
        orderedPersistentMap<string, number>(),
      );
      const model = new Map(first);
      let map = base;
      for (const [key, value] of changes) {
        expect([map.get(key), map.has(key)]).toEqual([model.get(key), model.has(key)]);
        model.set(key, value);
        map = map.set(key, value);
        expect([map.get(key), map.has(key), map.size]).toEqual([value, true, model.size]);
      }
      expect([...map]).toEqual([...model]);
      expect([...map.keys()]).toEqual([...model.keys()]);
      expect([...map.values()]).toEqual([...model.values()]);
      expect([...base]).toEqual([...new Map(first)]);
    }),
  );
});

test.each([
  { kind: 'persistentList', empty: () => persistentList<string>() },
  { kind: 'nameList', empty: nameList },
])('DESIGN 1.5: a $kind that grows keeps what was before', ({ empty }) => {
  const values = Array.from({ length: 2100 }, (_, index) => `n${index % 50}`);
  const lists = [empty()];
  for (const value of values) lists.push((lists.at(-1) ?? empty()).push(value));
  for (const [size, list] of lists.entries()) {
    if (size > 60 && size % 1024 > 2) continue;
    const expected = values.slice(0, size);
    expect(list.size).toBe(size);
    expect(list.toArray()).toEqual(expected);
    expect([...list]).toEqual(expected);
    expect([list.get(size - 1), list.get(size)]).toEqual([expected.at(-1), undefined]);
  }
});

/** Lists as arrays: what they must be whatever is done with the others. */
type Kept = readonly [PersistentList<string>, readonly string[]];

const steps = fc.array(
  fc.record({
    from: fc.nat(),
    names: fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), { maxLength: 4 }),
    more: fc.constantFrom(0, 0, 1020, 2048),
    inPlace: fc.boolean(),
  }),
  { maxLength: 12 },
);

test('DESIGN 1.5: lists of names that begin alike do not change one another', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const lists: Kept[] = [[nameList(), []]];
      for (const { from, names, more, inPlace } of changes) {
        const [base, model] = lists[from % lists.length] as Kept;
        const added = [...names, ...Array.from({ length: more }, () => 'again')];
        const grown = added.reduce((list, name) => list.push(name), inPlace ? base.asMutable() : base);
        lists.push([grown.asImmutable(), [...model, ...added]]);
      }
      for (const [list, model] of lists) expect(list.toArray()).toEqual(model);
    }),
    { numRuns: 40 },
  );
});

test('collections are what they were after they were stored as plain data, and what they share they share again', () => {
  const context = orderedPersistentMap<string, unknown>()
    .set('kind', 'list')
    .set('content', [{ kind: 'map', content: [], ['__proto__']: { a: undefined } }]);
  const names = Array.from({ length: 2100 }, (_, index) => `n${index % 50}`);
  const value = {
    path: names.reduce((list, name) => list.push(name), nameList()),
    cursors: new Map([
      ['a', { context, seen: new Set([1]) }],
      ['b', { context, seen: new Set() }],
    ]),
    failures: persistentMap<string, unknown>().set('a', persistentMap().set(1, 'x')),
    logs: persistentList<string>().push('one'),
  };
  const copy = valueOfData(deserialize(serialize(plainData(value)))) as typeof value;
  expect(copy).toEqual(value);
  expect(JSON.stringify(copy.cursors.get('a')?.context)).toBe(JSON.stringify(context));
  expect(copy.cursors.get('a')?.context).toBe(copy.cursors.get('b')?.context);
  expect(copy.path.push('last').toArray()).toEqual([...names, 'last']);
  expect(value.path.size).toBe(names.length);
  expect(copy.failures.set('b', 1).get('a')).toEqual(value.failures.get('a'));
});

test('states with other lists of names are not equal', () => {
  const list = nameList().push('a').push('b');
  expect({ path: list }).toEqual({ path: nameList().push('a').push('b') });
  expect({ path: list }).not.toEqual({ path: nameList().push('a').push('c') });
  expect({ path: list }).not.toEqual({ path: nameList().push('a') });
});
