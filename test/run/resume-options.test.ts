import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockFrom, systemClock } from '../../src/run/driver/clock.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, fileOf, jsonOf, pipeline, resumePipeline, runOnDisk } from './harness.js';

const three = pipeline('a [prompt="a"]', 'b [prompt="b"]', 'c [prompt="c"]', 'start -> a -> b -> c -> exit');

describe('66b: resuming somewhere else', () => {
  test('a run that failed continues at the node that is named, as a new visit', async () => {
    const { directory } = await runOnDisk(three, { script: { c: { outcome: 'fail' } } });
    const script = readScript({}, 'nothing');
    const { result, events } = await resumePipeline(directory, {}, { from: 'a', script });
    expect(result).toMatchObject({
      status: 'success',
      path: ['start', 'a', 'b', 'c', 'a', 'b', 'c', 'exit'],
    });
    expect(eventsOf(events, 'PipelineResumed')).toMatchObject([{ from: 'fail', node_id: 'a' }]);
  });

  test('so does one that has succeeded', async () => {
    const { directory } = await runOnDisk(three);
    const { result } = await resumePipeline(directory, {}, { from: 'c' });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'a', 'b', 'c', 'exit', 'c', 'exit'] });
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({ current_node: 'exit', status: 'success' });
  });

  test('a node that is not there is refused, and nothing is written', async () => {
    const { directory } = await runOnDisk(three);
    const before = fileOf(directory, 'events.jsonl');
    await expect(resumePipeline(directory, {}, { from: 'd' })).rejects.toThrow('cannot continue at "d"');
    expect(fileOf(directory, 'events.jsonl')).toBe(before);
  });
});

test('inputs that are given when a run is resumed are in the context and stay there', async () => {
  const first = await runOnDisk(three, { script: { b: { outcome: 'fail' } }, inputs: { x: 1, y: 1 } });
  const script = readScript({}, 'nothing');
  const { result } = await resumePipeline(first.directory, { inputs: { y: 2 } }, { script });
  expect(result.context).toMatchObject({ x: 1, y: 2, 'inputs.x': 1, 'inputs.y': 2 });
  const again = await resumePipeline(first.directory, {}, { from: 'c' });
  expect(again.result.context).toMatchObject({ y: 2 });
});

test('a script that is given when a run is resumed replaces the one that it was started with', async () => {
  const first = await runOnDisk(three, { script: { b: { outcome: 'fail' } } });
  expect(first.result.failed_node).toBe('b');
  const script = readScript({ nodes: { c: { outcome: 'fail' } } }, 'the other script');
  expect((await resumePipeline(first.directory, {}, { script })).result.failed_node).toBe('c');
});

describe('86: a run is simulated, or not, until it is told otherwise', () => {
  const tools = pipeline(
    'a [type=tool, tool_command="exit 3"]',
    'b [type=tool, tool_command="exit 4"]',
    'start -> a -> b -> exit',
  );
  const simulated = (directory: string) => jsonOf(directory, 'manifest.json').options.simulate;

  test('who resumes a real run by simulating it, simulates it for all who come later', async () => {
    const { directory } = await runOnDisk(tools);
    expect(simulated(directory)).toBe(false);
    const first = await resumePipeline(directory, { simulate: true, maxSteps: 2 });
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'b' });
    expect(simulated(directory)).toBe(true);
    const second = await resumePipeline(directory, { maxSteps: 9 });
    expect(second.result).toMatchObject({ status: 'success' });
  });

  test('who resumes a simulation for real ends it for all who come later', async () => {
    const { directory } = await runOnDisk(tools, { simulate: true, maxSteps: 1 });
    const first = await resumePipeline(directory, { simulate: false, maxSteps: 9 });
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'b', failure_reason: 'exit code 4' });
    expect(simulated(directory)).toBe(false);
    expect((await resumePipeline(directory)).result).toMatchObject({ status: 'fail', failed_node: 'b' });
  });

  test('the children of a run are simulated with it', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), tools);
    const parent = pipeline('c [type=pipeline, child="child.dot"]', 'start -> c -> exit');
    const { directory, result } = await runOnDisk(parent, {
      workingDirectory: home,
      sourcePath: path.join(home, 'parent.dot'),
    });
    expect(result.status).toBe('fail');
    const resumed = await resumePipeline(directory, { simulate: true });
    expect(resumed.result.status).toBe('success');
    expect(simulated(path.join(directory, 'c/child'))).toBe(true);
  });

  test('the clock of a run that was simulated continues from there, so that nobody waits for it', () => {
    const ahead = Date.now() + 86_400_000;
    expect(clockFrom(systemClock, ahead).now()).toBeGreaterThanOrEqual(ahead);
    expect(clockFrom(systemClock, Date.now() - 1)).toBe(systemClock);
  });
});

test('a journal whose end is missing is said to be so, and is the truth all the same', async () => {
  const { directory } = await runOnDisk(three);
  const lines = fileOf(directory, 'events.jsonl').split('\n');
  truncateSync(path.join(directory, 'events.jsonl'), lines.slice(0, 6).join('\n').length + 1);
  const notices: string[] = [];
  const { result } = await resumePipeline(directory, {}, { onNotice: (message) => notices.push(message) });
  expect(result.path).toEqual(['start', 'a', 'b', 'c', 'exit']);
  expect(notices[0]).toMatch(/ends with event 6, but it once reached event [0-9]+/);
});

describe('answers of interviewers that no compiler has seen (6.3)', () => {
  const gate = pipeline(
    'h [shape=hexagon]',
    'b [prompt="b"]',
    'start -> h',
    'h -> b [label="[Y] Yes"]',
    'h -> exit [label="[N] No"]',
    'b -> exit',
  );
  const answering = (given: unknown) => ({ interviewer: { ask: () => Promise.resolve(given as never) } });

  test.each<[what: string, given: unknown, selected: string]>([
    ['a bare text', 'no', 'N'],
    ['a text only', { text: '[Y] Yes' }, 'Y'],
    ['a key as the value', { value: 'n' }, 'N'],
  ])('%s', async (_what, given, selected) => {
    const { result } = await runOnDisk(gate, answering(given));
    expect(result.context['human.gate.selected']).toBe(selected);
  });

  test.each([[7], [{ answer: 'Y' }]])('%j pauses the run and says why', async (given) => {
    const { result, events } = await runOnDisk(gate, answering(given));
    expect(result).toMatchObject({ status: 'paused', waiting_node: 'h' });
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual([
      expect.stringContaining('an answer without a `value` or a `text`'),
    ]);
  });
});

describe('86: answers that nobody will ask for are refused before anything runs', () => {
  test.each([
    ['d', 'which is not a node of the pipeline'],
    ['a', 'a stage of type codergen never asks'],
  ])('for %s', async (nodeId, message) => {
    await expect(runOnDisk(three, { answers: { [nodeId]: 'Y' } })).rejects.toThrow(message);
  });
});
