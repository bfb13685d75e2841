import { expect, test } from 'vitest';
import {
  frozenMap,
  orderedPersistentMap,
  persistentList,
  shortPersistentList,
  thawedMap,
} from '../../src/machine/persistent.js';
import { fc } from '../support/fast-check.js';

const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.nat(3)));

test('DESIGN 1.3: a map in the making is what a map would be, and leaves the one that it was made from as it was', () => {
  fc.assert(
    fc.property(entries, entries, (first, changes) => {
      const base = first.reduce(
        (map, [key, value]) => map.set(key, value),
        orderedPersistentMap<string, number>(),
      );
      const model = new Map(first);
      const thawed = thawedMap(base);
      for (const [key, value] of changes) {
        expect([thawed.get(key), thawed.has(key)]).toEqual([model.get(key), model.has(key)]);
        model.set(key, value);
        expect(thawed.set(key, value)).toBe(thawed);
        expect([thawed.get(key), thawed.has(key), thawed.size]).toEqual([value, true, model.size]);
      }
      expect([...thawed]).toEqual([...model]);
      expect([...thawed.keys()]).toEqual([...model.keys()]);
      expect([...thawed.values()]).toEqual([...model.values()]);
      expect([...base]).toEqual([...new Map(first)]);
      const frozen = frozenMap(thawed);
      expect([...frozen]).toEqual([...model]);
      expect(frozenMap(frozen)).toBe(frozen);
      if (changes.length === 0) expect(frozen).toBe(base);
    }),
  );
});

test.each([
  ['a list that grows', persistentList],
  ['a list that is most likely short', shortPersistentList],
])('DESIGN 1.5: %s keeps what was before', (_name, empty) => {
  const values = Array.from({ length: 40 }, (_, index) => index);
  const lists = [empty<number>()];
  for (const value of values) lists.push((lists.at(-1) ?? empty<number>()).push(value));
  for (const [size, list] of lists.entries()) {
    const expected = values.slice(0, size);
    expect(list.size).toBe(size);
    expect(list.toArray()).toEqual(expected);
    expect([...list]).toEqual(expected);
    expect(list.concat([7, 8]).toArray()).toEqual([...expected, 7, 8]);
    expect([list.get(size - 1), list.get(size)]).toEqual([expected.at(-1), undefined]);
  }
});
