import { describe, expect, it } from 'vitest';
import { fix } from '../../src/compiler/fix.js';
import { fc, runsOf } from '../support/fast-check.js';
import { plantedQuotes, withoutBackslashes } from '../support/planted-quotes.js';
import { corpusFiles } from './corpus.js';

// A fix may be due in the file itself; what it changes in strings is no news.
const texts = corpusFiles()
  .map(({ text }) => fix(text))
  .filter(({ compilation: { document } }) => document.graph !== undefined)
  .map(({ text }) => text);

const numRuns = runsOf({ quick: 500, thorough: 5000 });
/** In milliseconds for one text, of which most take a tenth. */
const longest = 2000;

describe.skipIf(texts.length === 0)('98: quotes planted in a string of the corpus', () => {
  it(
    'are never a reason to shorten it',
    () => {
      fc.assert(
        fc.property(plantedQuotes(texts), ({ text, written }) => {
          expect(withoutBackslashes(fix(text).text)).toContain(withoutBackslashes(written));
        }),
        { numRuns },
      );
    },
    numRuns * longest,
  );
});
