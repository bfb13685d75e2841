import { test } from 'vitest';
import { cutRun, expectSameConversation, wholeRun, wireFormats } from './cut-run.js';

// All places, with all formats: test/proof/crash/turns.test.ts
test('123: a run that ends in the middle of a conversation continues after its last turn', async () => {
  const [format] = wireFormats;
  const resumed = await cutRun(format, 9);
  if (resumed === undefined) throw new Error('there are fewer entries');
  expectSameConversation(resumed, await wholeRun(format));
});
