import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { pipeline, resumePipeline } from '../harness.js';
import { differenceOf, recordScenario, replayScenario, setupOf } from './play.js';
import { type Scenario, scriptedBackend } from './scenarios.js';

const usage = { requests: 1, input_tokens: 100, output_tokens: 0, cost_usd: 0.01 };
const spends = [{ kind: 'model_used', provider: 'acme', model: 'm', usage } as const];

function paid(dot: string): Scenario {
  const takes = { 'a#1.1': 10, 'b#1.1': 20, 'c#1.1': 30 };
  const tells = Object.fromEntries(['a', 'b', 'c'].map((id) => [`${id}#1.1`, spends]));
  return { name: 'paid', dot, tells, takes, path: 'a b c', status: 'success' };
}

describe('a run that a budget paused', () => {
  const cases = [
    ['one of the run', pipeline('budget_tokens=200', 'a; b; c', 'start -> a -> b -> c -> exit'), 1000],
    ['one of a stage', pipeline('a [budget_tokens=100]; b; c', 'start -> a -> b -> c -> exit'), undefined],
    ['one that allows nothing', pipeline('budget_tokens=0', 'a; b; c', 'start -> a -> b -> c -> exit'), 1000],
    [
      'one in branches',
      pipeline(
        'budget_tokens=200; fan [shape=component]; a; b; c; meet [shape=tripleoctagon]',
        'start -> fan; fan -> a -> meet; fan -> b -> meet; fan -> c -> meet; meet -> exit',
      ),
      1000,
    ],
    [
      'one in branches that all come to their end',
      pipeline(
        'budget_tokens=300; fan [shape=component]; a; b; c; d; meet [shape=tripleoctagon]',
        'start -> fan; fan -> a -> d -> meet; fan -> b -> meet; fan -> c -> meet; meet -> exit',
      ),
      1000,
    ],
  ] as const;

  test.each(cases)(
    '%s, is played back: where nobody continued, and to its end',
    async (_name, dot, raised) => {
      const scenario = paid(dot);
      const recorded = await recordScenario(scenario);
      expect(recorded.result.status).toBe('paused');
      const stopped = await replayScenario(scenario, recorded.directory);
      expect(stopped.result.status).toBe('paused');
      expect(differenceOf(recorded.directory, stopped.directory)).toBeUndefined();

      const { result } = await resumePipeline(recorded.directory, {
        ...setupOf(scenario, recorded.home),
        ...(raised !== undefined && { budgetTokens: raised }),
        backend: scriptedBackend(scenario),
      });
      expect(result.status).toBe('success');
      const replayed = await replayScenario(scenario, recorded.directory);
      expect(replayed.result.status).toBe('success');
      expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
      // A budget that the call gives holds all the same.
      const bounded = await replayScenario(scenario, recorded.directory, { budgetTokens: 100 });
      expect(bounded.result.status).toBe('paused');
    },
  );
});

describe('a run that somebody paused between two stages', () => {
  const plain = paid(pipeline('a; b', 'start -> a -> b -> exit'));
  const gate = paid(pipeline('a; g [shape=hexagon]; c', 'start -> a -> g; g -> c [label=go]; c -> exit'));
  const choice = paid(pipeline('a; g [shape=diamond]; c', 'start -> a -> g -> c -> exit'));

  test.each([
    ['the first stage', plain, 'start'],
    ['a stage', plain, 'a'],
    ['the last stage', plain, 'b'],
    ['a stage before a gate', gate, 'a'],
    ['a gate', { ...gate, people: { g: 'go' } }, 'g'],
    ['a stage that takes no time', choice, 'g'],
  ])('is played back up to there: behind %s', async (_name, scenario, id) => {
    const asked = new AbortController();
    const recorded = await recordScenario(scenario, {
      pauseSignal: asked.signal,
      onEvent: (event: RunEvent) => {
        if (event.type === 'StageStarted' && event.node_id === id) asked.abort();
      },
    });
    expect(recorded.result.status).toBe('paused');
    const replayed = await replayScenario(scenario, recorded.directory);
    expect(replayed.result.failure_reason).toBeUndefined();
    expect(replayed.result.status).toBe('paused');
    expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
  });
});
