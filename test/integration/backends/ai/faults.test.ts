import { describe, expect } from 'vitest';
import { answer, conversation, faults, wireFormats } from '../../../backends/ai/faults.js';
import { type Played, play } from '../../../backends/ai/play-replies.js';
import { eventsOf, fileOf, testEach } from '../../../run/harness.js';

describe('122: no fault at any request of a conversation costs it anything', () => {
  for (const format of wireFormats) {
    describe(format.name, () => {
      let plain: Promise<Played> | undefined;
      testEach(faults, async (fault) => {
        plain ??= play(format, conversation(format));
        const { events, result } = await plain;
        for (const at of [0, 1, 2]) {
          const replies = [...conversation(format)];
          replies.splice(at, 0, fault.reply(format));
          const played = await play(format, replies);
          expect(played.result.failure_reason).toBeUndefined();
          expect(played.requests).toHaveLength(4);
          // The same is asked again, with nothing of the reply that broke.
          expect(played.requests[at + 1]).toEqual(played.requests[at]);
          expect(fileOf(played.directory, 'work', 'response.md')).toBe(answer);
          expect(eventsOf(played.events, 'StageStarted')).toHaveLength(3);
          const [retry, ...others] = eventsOf(played.events, 'RequestRetrying');
          expect(others).toEqual([]);
          expect(retry).toMatchObject({ delay: 2000, request_attempt: 2, request_attempts: 6 });
          expect(retry?.reason).toMatch(fault.after);
          const { description, reason } = retry ?? {};
          expect(description).toBe(`Stage "work" is waiting 2 s after ${reason}, then request 2 of 6`);
          // Besides those of the conversation, only what the broken request itself has told.
          const told = eventsOf(played.events, 'ModelUsed').map(({ usage }) => usage);
          const whole = eventsOf(events, 'ModelUsed').map(({ usage }) => usage);
          expect(told.filter((_, index) => told.length === whole.length || index !== at)).toEqual(whole);
          expect(result.usage?.requests).toBe(3);
        }
      });
    });
  }
});
