import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/run/driver/clock.js';
import { virtualClock } from '../../../src/run/simulate/virtual-clock.js';
import { journalsIn } from '../../proof/crash/places.js';
import { pipeline, resumePipeline } from '../harness.js';
import { differenceOf, recordScenario, replayScenario, setupOf } from './play.js';
import { type Scenario, scenarios, scriptedBackend } from './scenarios.js';

describe.each(scenarios)('$name', (scenario) => {
  test('is recorded, and played back to an identical journal', async () => {
    const recorded = await recordScenario(scenario);
    const nodes = recorded.result.path.filter((id) => id !== 'start' && id !== 'exit');
    expect(nodes.join(' ')).toBe(scenario.path);
    expect(recorded.result.status).toBe(scenario.status);

    const replayed = await replayScenario(scenario, recorded.directory);
    expect(replayed.result.status).toBe(recorded.result.status);
    expect(replayed.result.usage).toEqual(recorded.result.usage);
    for (const journal of journalsIn(recorded.directory))
      expect(differenceOf(recorded.directory, replayed.directory, path.dirname(journal))).toBeUndefined();
    expect(journalsIn(replayed.directory)).toEqual(journalsIn(recorded.directory));
    const left = readdirSync(path.dirname(replayed.directory));
    expect(left).toEqual(['run']);
    expect(existsSync(path.join(replayed.directory, 'recording.jsonl'))).toBe(false);
  });
});

test('the time of a replay stands still while a long output is read', async () => {
  const scenario = {
    name: 'a tool with a timeout that prints more than is read at once',
    dot: pipeline(
      'much [shape=parallelogram, timeout="15m", tool_command="seq 200000"]',
      'start -> much -> exit',
    ),
    path: 'much',
    status: 'success',
  } as const;
  const recorded = await recordScenario(scenario, { clock: systemClock });
  expect(recorded.result.status).toBe('success');
  const replayed = await replayScenario(scenario, recorded.directory, { clock: virtualClock() });
  expect(replayed.result.failure_reason).toBeUndefined();
  expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
});

test('a child that failed, and was continued by a later visit, is played back up to its failure', async () => {
  const scenario: Scenario = {
    name: 'a child that fails',
    dot: pipeline('on_failure=stop; sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit'),
    files: { 'child.dot': pipeline('on_failure=stop; x; y', 'start -> x -> y -> exit') },
    answers: { 'y#1.1': { status: 'fail', failure_reason: 'no' } },
    path: 'sub',
    status: 'fail',
  };
  const recorded = await recordScenario(scenario);
  expect(recorded.result.status).toBe('fail');
  const later: readonly Scenario['answers'][] = [
    { 'y#2.1': { status: 'fail', failure_reason: 'still no' } },
    {},
  ];
  for (const answers of later) {
    await resumePipeline(recorded.directory, {
      ...setupOf(scenario, recorded.home),
      backend: scriptedBackend({ ...scenario, answers: answers ?? {} }),
    });
    const replayed = await replayScenario(scenario, recorded.directory);
    expect(replayed.result).toMatchObject({ status: 'fail', failed_node: 'sub' });
    for (const inside of ['', 'sub/child'])
      expect(differenceOf(recorded.directory, replayed.directory, inside)?.diff).toBeUndefined();
  }
});
