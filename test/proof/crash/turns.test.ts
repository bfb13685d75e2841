import { describe, expect, test } from 'vitest';
import { cutRun, expectSameConversation, wholeRun, wireFormats } from '../../backends/ai/cut-run.js';

describe.each(wireFormats)('123: a conversation with $name', (format) => {
  test('may be cut after each of its entries, and continues after its last turn', async () => {
    const whole = await wholeRun(format);
    let entries = 1;
    for (; ; entries += 1) {
      const resumed = await cutRun(format, entries);
      if (resumed === undefined) break;
      expectSameConversation(resumed, whole);
    }
    expect(entries).toBeGreaterThan(25);
  });
});
