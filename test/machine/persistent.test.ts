import { expect, test } from 'vitest';
import { orderedPersistentMap, persistentList } from '../../src/machine/persistent.js';
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

test('DESIGN 1.5: a list that grows keeps what was before', () => {
  const values = Array.from({ length: 40 }, (_, index) => index);
  const lists = [persistentList<number>()];
  for (const value of values) lists.push((lists.at(-1) ?? persistentList<number>()).push(value));
  for (const [size, list] of lists.entries()) {
    const expected = values.slice(0, size);
    expect(list.size).toBe(size);
    expect(list.toArray()).toEqual(expected);
    expect([...list]).toEqual(expected);
    expect([list.get(size - 1), list.get(size)]).toEqual([expected.at(-1), undefined]);
  }
});
