import { expect, test } from 'vitest';
import { withoutEnd, withoutMiddle } from '../../src/backends/left-out.js';
import { fc } from '../support/fast-check.js';

test('a shortened text is whole characters, and says how many are left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(40), (text, longest) => {
      for (const shorten of [withoutEnd, withoutMiddle]) {
        const short = shorten(text, longest);
        expect(short).not.toMatch(/\p{Surrogate}/u);
        if (text.length <= longest) expect(short).toBe(text);
        const [mark = '', missing = '0'] = /\[… (\d+) characters left out …\]/.exec(short) ?? [];
        const breaks = mark === '' ? 0 : shorten === withoutEnd ? 1 : 2;
        expect(short.length - mark.length - breaks + Number(missing)).toBe(text.length);
      }
    }),
  );
});
