import { describe, expect, test } from 'vitest';
import { cutRun, expectSameConversation, scripts, wholeRun, wireFormats } from '../../backends/ai/cut-run.js';

describe.each(wireFormats)('123, 125: a conversation with $name', (format) => {
  test.each(scripts)(
    '$what may be cut after each of its entries, and continues after its last turn',
    async ({ script }) => {
      const whole = await wholeRun(format, { script });
      expect(whole.requests).toBe(script.length);
      let entries = 1;
      for (; ; entries += 1) {
        const resumed = await cutRun(format, entries, { script });
        if (resumed === undefined) break;
        expectSameConversation(resumed, whole);
      }
      expect(entries).toBeGreaterThan(25);
    },
  );
});
