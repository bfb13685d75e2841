import { expect, test } from 'vitest';
import { cyclicGroups } from '../../../src/graph/flow/cycles.js';

test('a very long chain, and a very long cycle, take no deep stack', () => {
  const length = 200_000;
  const ids = [...Array(length).keys()].map(String);
  const next = (id: string) => String(Number(id) + 1);
  expect(cyclicGroups(ids, (id) => (Number(id) + 1 < length ? [next(id)] : []))).toEqual([]);
  expect(cyclicGroups(ids, (id) => [Number(id) + 1 < length ? next(id) : '0'])[0]).toHaveLength(length);
});
