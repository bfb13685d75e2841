import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/run-directory/sha256.js';
import { fc } from '../support/fast-check.js';

const known = (text: string): string => createHash('sha256').update(text).digest('hex');

test.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000])('of %d bytes is that of Node', (length) => {
  expect(sha256('a'.repeat(length))).toBe(known('a'.repeat(length)));
});

test('of any text is that of Node', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256(text) === known(text)),
  );
});
