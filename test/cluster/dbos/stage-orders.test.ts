import { expect, test } from 'vitest';
import { ordersOf } from '../../../src/cluster/dbos/stage-queue.js';

test.each([
  { what: 'of one millisecond', ids: ['1700000000000.10', '1700000000000.9'], inOrder: [1, 0] },
  { what: 'of several milliseconds', ids: ['1700000000001.1', '1700000000000.2'], inOrder: [1, 0] },
  { what: 'that are in order', ids: ['1700000000000.1', '1700000000000.2'], inOrder: [0, 1] },
])('orders $what come to a stage as they were given', ({ ids, inOrder }) => {
  const given = ids.map((id, index) => ({
    id,
    order: { kind: 'budget_spent', reason: String(index) } as const,
  }));
  expect(ordersOf(given)).toEqual(inOrder.map((index) => given[index]?.order));
});
