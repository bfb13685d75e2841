import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cutRun,
  dot,
  expectSameConversation,
  scripts,
  type WholeRun,
  type WireFormat,
  wholeRun,
  wireFormats,
} from '../../backends/ai/cut-run.js';
import { runOnDisk } from '../../run/harness.js';
import { isThorough } from './long-form.js';

/** Formats differ in how a turn is written, not in when: the first one is cut after each entry, the others after every third. */
const strideOf = ({ name }: WireFormat): number => (isThorough || name === wireFormats[0].name ? 1 : 3);

describe.each(wireFormats)('123, 125: a conversation with $name', (format) => {
  test.each(scripts)(
    '$what may be cut after its entries, and continues after its last turn',
    async ({ script }) => {
      const whole = await wholeRun(format, { script });
      expect(whole.requests).toBe(script.length);
      let entries = 1;
      for (; ; entries += strideOf(format)) {
        const resumed = await cutRun(format, entries, { script });
        if (resumed === undefined) break;
        expectSameConversation(resumed, whole);
      }
      expect(entries).toBeGreaterThan(25);
    },
  );
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
