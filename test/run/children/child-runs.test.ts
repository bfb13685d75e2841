import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/handlers/handler.js';
import { acquireLock } from '../../../src/run-directory/lock.js';
import { requestRun } from '../../../src/run-directory/run-requests.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runOnDisk, type Setup } from '../harness.js';
import { managed, projectOf, runProject, subPipeline } from './children.js';

// What becomes of a child when its parent is paused, cancelled or cut off, and the other way round.

const gated = pipeline(
  'first',
  'ask [shape=hexagon]',
  'start -> first -> ask',
  'ask -> exit [label="[Y] Yes"]',
  'ask -> first [label="[N] No"]',
);
const twoStages = pipeline('first [type=held]', 'second', 'start -> first -> second -> exit');

const parents = [
  { name: 'a sub-pipeline', main: subPipeline(), node: 'sub' },
  { name: 'a manager', main: managed(), node: 'lead' },
] as const;

const bothWays = test.each(parents.map((row) => [row.name, row] as const));

/** A stage that begins, says so, and continues when it is let. */
function held() {
  const calls: string[] = [];
  let letGo: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const handler = async ({ node, signal }: Stage) => {
    calls.push(node.id);
    begun();
    await Promise.race([
      gate,
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    return { status: 'success' as const };
  };
  return { handlers: { held: handler }, calls, hasBegun, letGo: () => letGo() };
}

const typesOf = (directory: string): readonly string[] =>
  fileOf(directory, 'events.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
const lastOf = (directory: string) => typesOf(directory).at(-1);

describe('a question of the child that nobody answers', () => {
  bothWays('pauses %s, and resuming asks it again', async (_name, { main, node }) => {
    const { result, directory } = await runProject({ 'main.dot': main, 'child.dot': gated });
    expect(result.status).toBe('paused');
    expect(result.paused_reason).toContain(`("${node}/ask")`);
    const child = path.join(directory, node, 'child');
    expect(jsonOf(child, 'result.json')).toMatchObject({ status: 'paused', waiting_node: 'ask' });

    const again = await resumePipeline(directory, { answers: { [`${node}/ask`]: 'Y' } });
    expect(again.result).toMatchObject({ status: 'success', visits: { [node]: 1 } });
    expect(jsonOf(child, 'result.json').path).toEqual(['start', 'first', 'ask', 'exit']);
  });

  test('of a child three levels down, too', async () => {
    const level = (file: string) => pipeline(`sub [type=pipeline, child="${file}"]`, 'start -> sub -> exit');
    const files = {
      'main.dot': level('b.dot'),
      'b.dot': level('c.dot'),
      'c.dot': level('d.dot'),
      'd.dot': gated,
    };
    const { result, directory } = await runProject(files);
    expect(result.status).toBe('paused');
    const again = await resumePipeline(directory, { answers: { 'sub/sub/sub/ask': ['N', 'Y'] } });
    expect(again.result.status).toBe('success');
    const deepest = jsonOf(directory, 'sub/child/sub/child/sub/child/result.json');
    expect(deepest.path).toEqual(['start', 'first', 'ask', 'first', 'ask', 'exit']);
  });

  test('in a branch lets the other branches continue', async () => {
    const dot = pipeline(
      'fork [shape=component]',
      'sub [type=pipeline, child="child.dot"]',
      'other',
      'join [shape=tripleoctagon]',
      'start -> fork',
      'fork -> sub -> join',
      'fork -> other -> join',
      'join -> exit',
    );
    const { result, directory } = await runProject({ 'main.dot': dot, 'child.dot': gated });
    expect(result.status).toBe('paused');
    expect(existsSync(path.join(directory, 'other/status.json'))).toBe(true);
    const again = await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } });
    expect(again.result.status).toBe('success');
    expect(
      again.events.filter((event) => event.type === 'StageStarted' && event.node_id === 'other'),
    ).toEqual([]);
  });

  test('an answer that does not fit leaves the question open instead of failing the stage', async () => {
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    const again = await resumePipeline(directory, { answers: { 'sub/ask': 'Z' } });
    expect(again.result.status).toBe('paused');
    expect(again.result.paused_reason).toContain('"Z" does not answer "ask"');
  });

  test('scripted answers continue where they stopped', async () => {
    const setup: Setup = { answers: { 'sub/ask': ['N'] } };
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated }, setup);
    const again = await resumePipeline(directory);
    expect(again.result.status).toBe('paused');
    const done = await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } });
    expect(done.result.status).toBe('success');
  });
});

describe('a pause of the parent', () => {
  bothWays('after its stages pauses the child of %s after its stage', async (_name, { main, node }) => {
    const stage = held();
    const pausing = new AbortController();
    const run = runProject(
      { 'main.dot': main, 'child.dot': twoStages },
      { handlers: stage.handlers, pauseSignal: pausing.signal },
    );
    await stage.hasBegun;
    pausing.abort({ reason: 'tea' });
    stage.letGo();
    const { result, directory } = await run;
    expect(result).toMatchObject({ status: 'paused', paused_reason: 'tea' });
    const child = path.join(directory, node, 'child');
    expect(jsonOf(child, 'result.json')).toMatchObject({ status: 'paused', path: ['start', 'first'] });
    expect((await resumePipeline(directory, { handlers: stage.handlers })).result.status).toBe('success');
    expect(stage.calls).toEqual(['first']);
    expect(jsonOf(child, 'result.json').path).toEqual(['start', 'first', 'second', 'exit']);
  });

  bothWays('at once stops the stage of the child of %s, which runs again', async (_name, { main, node }) => {
    const stage = held();
    const pausing = new AbortController();
    const run = runProject(
      { 'main.dot': main, 'child.dot': twoStages },
      { handlers: stage.handlers, pauseSignal: pausing.signal },
    );
    await stage.hasBegun;
    pausing.abort({ mode: 'now', reason: 'fire' });
    const { result, directory } = await run;
    expect(result.status).toBe('paused');
    const child = path.join(directory, node, 'child');
    expect(lastOf(child)).toBe('PipelinePaused');
    stage.letGo();
    expect((await resumePipeline(directory, { handlers: stage.handlers })).result.status).toBe('success');
    expect(stage.calls).toEqual(['first', 'first']);
  });
});

describe('76: cancelling the parent', () => {
  bothWays('cancels the child of %s; resuming continues with it', async (_name, { main, node }) => {
    const stage = held();
    const cancelling = new AbortController();
    const run = runProject(
      { 'main.dot': main, 'child.dot': twoStages },
      { handlers: stage.handlers, signal: cancelling.signal },
    );
    await stage.hasBegun;
    cancelling.abort();
    const { result, directory } = await run;
    expect(result.status).toBe('cancelled');
    const child = path.join(directory, node, 'child');
    expect(lastOf(child)).toBe('PipelineCancelled');
    expect(existsSync(path.join(child, 'lock'))).toBe(false);
    stage.letGo();
    expect((await resumePipeline(directory, { handlers: stage.handlers })).result.status).toBe('success');
    expect(jsonOf(child, 'result.json').status).toBe('success');
  });

  test('so does a branch that is no longer wanted', async () => {
    const dot = pipeline(
      'fork [shape=component, join_policy=first_success]',
      'fast',
      'sub [type=pipeline, child="child.dot"]',
      'join [shape=tripleoctagon]',
      'start -> fork',
      'fork -> fast -> join',
      'fork -> sub -> join',
      'join -> exit',
    );
    const stage = held();
    const { result, directory } = await runProject(
      { 'main.dot': dot, 'child.dot': twoStages },
      {
        handlers: {
          ...stage.handlers,
          codergen: async () => stage.hasBegun.then(() => ({ status: 'success' })),
        },
      },
    );
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 'sub/child/result.json').status).toBe('cancelled');
  });
});

describe('what happens to the child alone', () => {
  test('one that was cancelled fails its stage', async () => {
    const stage = held();
    const project = projectOf({ 'main.dot': subPipeline(), 'child.dot': twoStages });
    const directory = path.join(project, 'run');
    const run = runOnDisk(subPipeline(), {
      workingDirectory: project,
      runDirectory: directory,
      handlers: stage.handlers,
    });
    await stage.hasBegun;
    requestRun(path.join(directory, 'sub/child'), { kind: 'cancel' });
    const { result } = await run;
    expect(result).toMatchObject({ status: 'fail', failed_node: 'sub' });
    expect(result.failure_reason).toContain('was cancelled');
  });

  test('one that somebody else has brought to its end gives its result without running', async () => {
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    const child = path.join(directory, 'sub/child');
    await resumePipeline(child, { answers: { ask: 'Y' } });
    const before = fileOf(child, 'events.jsonl');
    const { result } = await resumePipeline(directory);
    expect(result).toMatchObject({
      status: 'success',
      context: { 'child.context.human.gate.selected': 'Y' },
    });
    expect(fileOf(child, 'events.jsonl')).toBe(before);
  });

  test('one that somebody else is running has its parent wait', async () => {
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    const lock = acquireLock(path.join(directory, 'sub/child/lock'));
    const { result } = await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } });
    lock.release();
    expect(result.status).toBe('paused');
    expect(result.paused_reason).toContain('is being executed by process');
    expect((await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } })).result.status).toBe('success');
  });

  test('one whose stage never settled is put aside when the run comes back by another visit', async () => {
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    const again = await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } }, { from: 'sub' });
    expect(again.result.status).toBe('success');
    expect(jsonOf(directory, 'sub/visit-1/child/result.json').status).toBe('paused');
    expect(jsonOf(directory, 'sub/child/manifest.json').parent).toMatchObject({ visit: 2 });
  });
});

describe('a crash', () => {
  test('in the middle of the creation of the child has it created again', async () => {
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    for (const name of ['manifest.json', 'events.jsonl', 'checkpoint.json', 'result.json']) {
      rmSync(path.join(directory, 'sub/child', name));
    }
    const { result } = await resumePipeline(directory, { answers: { 'sub/ask': 'Y' } });
    expect(result.status).toBe('success');
  });
});
