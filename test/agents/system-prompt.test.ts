import { expect, test } from 'vitest';
import { says } from '../support/mock-models.js';
import { benchFor, type RealAgent, runs, usage, withEachAgent } from './real-agents.js';

const own = 'Write British English: colour, not color.';

/** Agents that have a way to add to their system prompt; the words begin the first prompt of the others. */
function hasWay({ name }: RealAgent): boolean {
  return name === 'claude-code' || name === 'pi';
}

withEachAgent('', (agent) => {
  test('130: asks its model with the system prompt of the author, once in each request', async () => {
    const { run, models } = await benchFor(agent, [
      runs(agent, 'true'),
      says('All done.', { usage: usage(100, 10) }),
    ]);
    const { result } = await run({ graph: `system_prompt="${own}"` });
    expect(result, result.failure_reason).toMatchObject({ status: 'success' });
    const requests = models.requests().filter(({ body }) => JSON.stringify(body).includes('Look around'));
    expect(requests.length).toBeGreaterThanOrEqual(2);
    for (const { body } of requests) {
      const roles = body.messages.flatMap(({ role, content }) =>
        JSON.stringify(content)
          .split(own)
          .slice(1)
          .map(() => role),
      );
      expect(roles).toEqual([hasWay(agent) ? 'system' : 'user']);
    }
  });
});
