import { describe, expect, it } from 'vitest';
import { nextIndex } from '../../../src/web/ui/next-index.js';

describe('where arrow keys lead', () => {
  it.each([
    ['ArrowDown', 0, 3, {}, 1],
    ['ArrowDown', 2, 3, {}, 2],
    ['ArrowDown', 2, 3, { wraps: true }, 0],
    ['ArrowUp', 0, 3, { wraps: true }, 2],
    ['ArrowUp', 0, 3, {}, 0],
    ['ArrowRight', 0, 3, { axis: 'x' }, 1],
    ['ArrowDown', 0, 3, { axis: 'x' }, undefined],
    ['ArrowLeft', 1, 3, { axis: 'y' }, undefined],
    ['Home', 2, 3, {}, 0],
    ['End', 0, 3, {}, 2],
    ['ArrowDown', -1, 3, {}, 0],
    ['ArrowUp', -1, 3, {}, 2],
    ['ArrowDown', -1, 0, {}, undefined],
    ['End', -1, 0, {}, undefined],
    ['x', 1, 3, {}, undefined],
  ] as const)('%s from %d of %d %j: %s', (key, current, count, options, next) => {
    expect(nextIndex(key, current, count, options)).toBe(next);
  });
});
