import { describe, test } from 'vitest';
import { cutRun, expectSameConversation, wholeRun, wireFormats } from './cut-run.js';

describe.each(wireFormats)('123: a run with $name that ends in the middle', (format) => {
  // All places: test/proof/crash/turns.test.ts
  test.each([9])('after %i entries continues after its last turn', async (entries) => {
    const resumed = await cutRun(format, entries);
    if (resumed === undefined) throw new Error('there are fewer entries');
    expectSameConversation(resumed, await wholeRun(format));
  });
});
