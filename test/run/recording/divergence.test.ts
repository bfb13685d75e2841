import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { resume, run } from '../../../src/run/run.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { eventsOf, pipeline, runOnDisk, testEach } from '../harness.js';
import { recordScenario } from './play.js';
import type { Scenario } from './scenarios.js';

const before: Scenario = {
  name: 'what is recorded',
  dot: pipeline(
    'a [prompt="First\\nplan\\nthen write"]',
    'b [shape=parallelogram, tool_command="echo b >> lines; echo b"]',
    'c',
    'start -> a -> b -> c -> exit',
  ),
  path: 'a b c',
  status: 'success',
};

/** Another pipeline, and what the stage that diverges is told. */
const rows = [
  {
    name: 'another prompt, as a diff',
    change: ['plan', 'PLAN'],
    node: 'a',
    says: ['asks for another prompt than was recorded', ' First', '-plan', '+PLAN', ' then write'],
  },
  {
    name: 'another model',
    change: ['prompt="First', 'llm_model="big", prompt="First'],
    node: 'a',
    says: ['another model than was recorded', '+big'],
  },
  {
    name: 'another command, which is not run',
    change: ['echo b >> lines', 'echo b >> others'],
    node: 'b',
    says: ['another command', '-echo b >> lines; echo b', '+echo b >> others; echo b'],
  },
  {
    name: 'other ways out',
    change: ['-> c -> exit', '-> c; c -> exit [label=done]; c -> a [label=again]'],
    node: 'c',
    says: ['another choice of routes', '+label done', '+label again'],
  },
  {
    name: 'a stage that was not there',
    change: ['b -> c', 'b -> d -> c'],
    node: 'd',
    says: ['asks for an answer of a model or agent, which was not recorded', 'Do it'],
  },
  {
    name: 'a tool in the place of a model',
    change: ["'c'", "'c'"],
    edit: (dot: string) => dot.replace('\nc\n', '\nc [shape=parallelogram, tool_command="true"]\n'),
    node: 'c',
    says: ['another kind of stage', '-a model', '+a tool'],
  },
];

describe('a stage that asks for something else than was recorded fails, and the run with it', () => {
  testEach(rows, async ({ change: [from = '', to = ''], edit, node, says }) => {
    const recorded = await recordScenario(before);
    const changed = edit?.(before.dot) ?? before.dot.replace(from, to);
    expect(changed).not.toBe(before.dot);
    const home = temporaryDirectory();
    const { result, events } = await runOnDisk(changed, {
      replay: recorded.directory,
      workingDirectory: home,
    });
    expect(result).toMatchObject({ status: 'fail', failed_node: node });
    expect(result.failure_reason).toContain(
      `the replay diverges from ${recorded.result.run_id}: "${node}" (visit 1, attempt 1)`,
    );
    for (const text of says) expect(result.failure_reason?.split('\n').join('|')).toContain(text);
    expect(eventsOf(events, 'StageFailed')).toHaveLength(1);
    expect(existsSync(path.join(home, 'lines'))).toBe(false);
    expect(existsSync(path.join(home, 'others'))).toBe(false);
  });

  test('whatever would lead on from it', async () => {
    const ladder = (prompt: string): string =>
      pipeline(
        `a [prompt="${prompt}", on_failure=continue, max_retries=5, retry_target=b]`,
        'b; c',
        'start -> a; a -> b; a -> c [condition="outcome=fail"]; b -> c -> exit',
      );
    const recorded = await recordScenario({ ...before, dot: ladder('one') });
    const { result } = await runOnDisk(ladder('two'), { replay: recorded.directory });
    expect(result).toMatchObject({ status: 'fail', path: ['start', 'a'] });
  });

  test('in a branch too, where others would continue', async () => {
    const fan = (prompt: string): string =>
      pipeline(
        'fan [shape=component, error_policy=ignore]',
        `x [prompt="${prompt}"]; y; meet [shape=tripleoctagon]; z`,
        'start -> fan; fan -> x -> meet; fan -> y -> meet; meet -> z -> exit',
      );
    const recorded = await recordScenario({ ...before, dot: fan('one') });
    const { result } = await runOnDisk(fan('two'), { replay: recorded.directory });
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain('"x" (visit 1, attempt 1) asks for another prompt');
    expect(result.path).not.toContain('z');
  });
});

describe('a run cannot be played back', () => {
  test('that was not recorded', async () => {
    const { directory } = await runOnDisk(before.dot, { workingDirectory: temporaryDirectory() });
    await expect(run(before.dot, { replay: directory })).rejects.toThrow(/has no recording.*--record/s);
  });

  test('where its recording is damaged: the line is named', async () => {
    const { directory } = await recordScenario(before);
    const file = path.join(directory, 'recording.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], '{"kind":"exchange"}', ...lines.slice(2)].join('\n'));
    await expect(run(before.dot, { replay: directory })).rejects.toThrow(
      /recording\.jsonl is damaged in line 2/,
    );
    rmSync(file);
  });
});

test('a recorded run that is resumed continues recording, and a replay that is resumed continues playing back', async () => {
  const gate: Scenario = {
    ...before,
    dot: pipeline('a', 'gate [shape=hexagon]', 'c', 'start -> a -> gate -> c -> exit'),
    path: 'a gate',
    status: 'paused',
  };
  const recorded = await recordScenario(gate);
  const paused = await runOnDisk(gate.dot, { replay: recorded.directory });
  expect(paused.result.status).toBe('paused');
  const backend = { run: () => Promise.resolve('more') };
  const answers = new Map([['gate', ['c']]]);
  expect(await resume(recorded.directory, { backend, answers })).toMatchObject({ status: 'success' });
  const played = await runOnDisk(gate.dot, { replay: recorded.directory });
  expect(played.result).toMatchObject({ status: 'success' });
  expect(await resume(paused.directory, {})).toMatchObject({ status: 'success' });
});
