import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/run/driver/clock.js';
import { virtualClock } from '../../../src/run/simulate/virtual-clock.js';
import { journalsIn } from '../../proof/crash/places.js';
import { pipeline } from '../harness.js';
import { differenceOf, recordScenario, replayScenario } from './play.js';
import { scenarios } from './scenarios.js';

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
