import { describe, expect } from 'vitest';
import { eventsOf, fileOf, testEach } from '../../run/harness.js';
import { answer, conversation, faults, usageOfConversation, wireFormats } from './faults.js';
import { play } from './play-replies.js';

describe('122: every fault, five before each reply, costs the stage nothing', () => {
  testEach(wireFormats, async (format) => {
    const replies = conversation(format).flatMap((reply, index) => [
      ...faults.slice(5 * index, 5 * index + 5).map((fault) => fault.reply(format)),
      reply,
    ]);
    const { result, events, directory, requests } = await play(format, replies);
    expect(result.failure_reason).toBeUndefined();
    expect(requests).toHaveLength(18);
    expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
    const retries = eventsOf(events, 'RequestRetrying');
    expect(retries.map(({ delay }) => delay)).toEqual([...pauses, ...pauses, ...pauses]);
    expect(retries.map(({ request_attempt }) => request_attempt)).toEqual([...nth, ...nth, ...nth]);
    for (const [index, { reason }] of retries.entries()) expect(reason).toMatch(faults[index]?.after ?? /^$/);
    const told = eventsOf(events, 'ModelUsed').map(({ usage }) => usage);
    expect(told.filter(({ output_tokens }) => output_tokens === 3)).toHaveLength(3);
    expect(result.usage).toMatchObject({ output_tokens: usageOfConversation.output_tokens });
  });
});

const pauses = [2000, 6000, 18_000, 54_000, 60_000];
const nth = [2, 3, 4, 5, 6];
