import { expect, test } from 'vitest';
import { jsonOfText } from '../../src/run-directory/json-of-text.js';
import { fc } from '../support/fast-check.js';

test('writes every text as JSON.stringify does', () => {
  const likely = fc.string({
    unit: fc.constantFrom('a', ' ', '!', '"', '#', '[', '\\', ']', '~', '\n', '\u007f', 'é', '\ud800'),
  });
  const long = fc.nat({ max: 3 }).map((extra) => 'a'.repeat(79 + extra));
  fc.assert(
    fc.property(fc.oneof(likely, long, fc.string({ unit: 'binary' })), (text) => {
      expect(jsonOfText(text)).toBe(JSON.stringify(text));
    }),
    { numRuns: 300 },
  );
});
