import { describe, expect, test } from 'vitest';
import { fileOf, resumePipeline, testEach } from '../../../run/harness.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { ends, play, says } from './play.js';

const prompts = (agent: { noted(kind: string): readonly Readonly<Record<string, unknown>>[] }) =>
  agent.noted('prompt').map(({ text, earlier }) => ({
    text: String(text).startsWith('You were interrupted') ? 'continue' : String(text).match(/Do it$/m)?.[0],
    earlier: (earlier as readonly string[]).length,
  }));

const continues = 'continue';
const dies = { do: 'die', code: 1 } as const;

function kindsIn(directory: string): readonly string[] {
  return fileOf(directory, 'work', 'conversation.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).kind);
}

describe('123: an agent whose turn ended without an answer', () => {
  testEach(
    [
      { name: 'continues its session if it can load it', abilities: { loadSession: true } },
      {
        name: 'continues its session if it can resume it',
        abilities: { sessionCapabilities: { resume: {} } },
      },
    ],
    async ({ abilities }) => {
      const { result, agent, directory } = await play([[says('Half'), dies], [says('Done.')]], {
        attributes: 'max_retries=1,',
        script: { abilities },
      });
      expect(result.status).toBe('success');
      expect(prompts(agent)).toEqual([
        { text: 'Do it', earlier: 0 },
        { text: continues, earlier: 1 },
      ]);
      expect(fileOf(directory, 'work', 'response.md')).toBe('Done.');
      expect(kindsIn(directory)).toEqual([
        ...['begun', 'user', 'session', 'assistant'],
        ...['begun', 'user', 'session', 'assistant', 'answered'],
      ]);
    },
  );

  test('begins a new one if it cannot', async () => {
    const { result, agent, log } = await play([[says('Half'), dies], [says('Done.')]], {
      attributes: 'max_retries=1,',
      script: { abilities: {} },
    });
    expect(result.status).toBe('success');
    expect(prompts(agent)).toEqual([
      { text: 'Do it', earlier: 0 },
      { text: 'Do it', earlier: 0 },
    ]);
    expect(log).toContainEqual(expect.stringContaining('cannot resume an earlier session'));
  });

  test('begins a new one if it ends again without a word', async () => {
    const turns = [[says('Half'), dies], [dies], [says('Done.')]];
    const { result, agent } = await play(turns, {
      attributes: 'max_retries=2,',
      script: { abilities: { loadSession: true } },
    });
    expect(result.status).toBe('success');
    expect(prompts(agent).map(({ text }) => text)).toEqual(['Do it', continues, 'Do it']);
  });

  test('continues after a run was paused and resumed', async () => {
    const priced = { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount: 2, currency: 'USD' } };
    const { result, agent, directory } = await play(
      [
        [says('Half'), { do: 'update', update: priced }, says('more'), { do: 'hang' }],
        [says('Done.'), ends('end_turn')],
      ],
      { attributes: 'budget_usd=1,', script: { abilities: { loadSession: true } } },
    );
    expect(result.status).toBe('paused');
    const resumed = await resumePipeline(directory, {
      backend: await agent.backend(),
      clock: virtualClock(),
      stageBudgets: { work: { usd: 100 } },
    });
    expect(resumed.result.failure_reason).toBeUndefined();
    expect(prompts(agent).map(({ text }) => text)).toEqual(['Do it', continues]);
  });
});
