import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOnDisk } from '../../run/harness.js';
import { cutRun, dot, expectSameConversation, type WholeRun, wholeRun, wireFormats } from './cut-run.js';

// All places, with all formats: test/proof/crash/turns.test.ts
test('123: a run that ends in the middle of a conversation continues after its last turn', async () => {
  const [format] = wireFormats;
  const resumed = await cutRun(format, 9);
  if (resumed === undefined) throw new Error('there are fewer entries');
  expectSameConversation(resumed, await wholeRun(format));
});

test('123: an answer that is used again after the end of the process is in the recording', async () => {
  const [format] = wireFormats;
  const whole = await wholeRun(format, { record: true });
  let resumed: WholeRun | undefined;
  // The last entry is the answer, which comes after its exchange in the recording; some entries are written together.
  for (let entries = whole.conversation.length; resumed === undefined; entries -= 1) {
    resumed = await cutRun(format, entries, { record: true });
  }
  expectSameConversation(resumed, whole);
  const logged = resumed.events.flatMap((event) => (event.type === 'LogAppended' ? [event.message] : []));
  expect(logged.join()).toContain('had answered before the run was interrupted');
  const replayed = await runOnDisk(dot(format.attributes), {
    backend: { run: () => Promise.reject(new Error('really asked')) },
    replay: resumed.directory,
  });
  expect(replayed.result.status).toBe('success');
  expect(readFileSync(path.join(replayed.directory, 'work', 'response.md'), 'utf8')).toBe(whole.answer);
});
