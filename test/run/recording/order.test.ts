import { expect, test } from 'vitest';
import { pipeline, resumePipeline, type Setup } from '../harness.js';
import { differenceOf, recordScenario, replayScenario } from './play.js';
import { type Scenario, scriptedBackend } from './scenarios.js';

/** Two branches, in each of which two models take their time; between those of the one there are these stages. */
function scenarioWith(between: string, ...statements: readonly string[]): Scenario {
  return {
    name: 'branches',
    dot: pipeline(
      'fan [shape=component]; a; b; x; y; meet [shape=tripleoctagon]',
      `start -> fan; fan -> a -> ${between} -> b -> meet; fan -> x -> y -> meet; meet -> exit`,
      ...statements,
    ),
    takes: { 'a#1.1': 10, 'b#1.1': 30, 'x#1.1': 20, 'y#1.1': 5 },
    path: '',
    status: 'success',
  };
}

test.each<[string, Scenario, Setup]>([
  ['that does nothing', scenarioWith('route', 'route [shape=diamond]'), {}],
  ['that a script stands in for', scenarioWith('scripted'), { script: { scripted: { delay: '3s' } } }],
  [
    'that has branches of its own',
    scenarioWith(
      'fork -> left -> join',
      'fork [shape=component]; join [shape=tripleoctagon]; fork -> right -> join',
    ),
    {},
  ],
])('a stage in a branch %s does not hold up those of the others', async (_name, scenario, setup) => {
  const recorded = await recordScenario(scenario, setup);
  expect(recorded.result.status).toBe('success');
  const replayed = await replayScenario(scenario, recorded.directory);
  expect(replayed.result).toMatchObject({ status: 'success', duration_ms: recorded.result.duration_ms });
  expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
});

test('nor do those that had come to their outcomes before a replay continued', async () => {
  const scenario = scenarioWith('gate', 'gate [shape=hexagon]', 'timeout="1h"');
  const recorded = await recordScenario(scenario);
  const replayed = await replayScenario(scenario, recorded.directory);
  expect([recorded.result.status, replayed.result.status]).toEqual(['paused', 'paused']);
  const backend = scriptedBackend(scenario);
  const answered = await resumePipeline(recorded.directory, { answers: { gate: 'b' }, backend });
  const { result } = await resumePipeline(replayed.directory);
  expect(result).toMatchObject({ status: 'success', duration_ms: answered.result.duration_ms });
  expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
});
