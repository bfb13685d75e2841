import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { readNamed } from '../../src/graph/properties/property-list.js';
import { run as runWith } from '../../src/run/run.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, jsonOf, pipeline, resumePipeline, runOnDisk, runPipeline } from './harness.js';

const loop = pipeline(
  'graph ["check.it"="PROPERTY"]',
  'implement [max_visits=9]',
  'test',
  'publish [class="deploy"]',
  'start -> implement -> test',
  'test -> publish [condition="outcome=success"]',
  'test -> implement [condition="outcome=fail"]',
  'publish -> exit',
);

const failingOnce = { test: [{ outcome: 'fail' }, { outcome: 'success' }] } as const;

async function run(property: string, script: object = failingOnce) {
  const { result, events } = await runPipeline(loop.replace('PROPERTY', property), {
    script: script as never,
  });
  const [failed] = eventsOf(events, 'PipelineFailed');
  const started = eventsOf(events, 'StageStarted').map(({ node_id }) => node_id);
  return { result, failed, started };
}

describe('144: a run ends before it breaks a property', () => {
  test.each([
    ['before the stage that is one too many', 'never more than 1 stages of class deploy', undefined],
    ['before the stage that comes too often', 'at most 1 implement', 'implement'],
    ['before the stage that comes too early', 'test only after publish', 'test'],
    ['before the stage that comes too late', 'after implement, publish before implement', 'implement'],
    ['before the end', 'every run that completes has passed test since the last publish', 'exit'],
    ['after the outcome that broke it', 'never test = fail', 'test'],
    ['not if it holds', 'publish only after test passed since the last implement', undefined],
  ])('%s: %s', async (_, property, at) => {
    const { result, failed } = await run(property);
    expect(failed?.node_id).toBe(at);
    expect(result.status).toBe(at === undefined ? 'success' : 'fail');
    if (at === undefined) return;
    expect(failed).toMatchObject({ kind: 'property', failure_category: 'pipeline' });
    expect(failed?.error).toContain(`"it": ${property} (path: start -> implement`);
  });

  test('the stage itself does not start', async () => {
    expect((await run('at most 1 implement')).started).toEqual(['start', 'implement', 'test']);
  });

  test('attempts of one visit count once', async () => {
    const dot = pipeline(
      'graph ["check.it"="at most 1 work"]',
      'work [max_retries=2]',
      'start -> work -> exit',
    );
    const { result } = await runPipeline(dot, {
      script: { work: [{ outcome: 'retry' }, { outcome: 'retry' }, { outcome: 'success' }] },
    });
    expect(result.status).toBe('success');
  });

  test('in a branch, with all branches', async () => {
    const dot = pipeline(
      'graph ["check.it"="b only after a"]',
      'fork [shape=component]',
      'join [shape=tripleoctagon]',
      'start -> fork',
      'fork -> a -> join',
      'fork -> b -> join',
      'join -> exit',
    );
    const { events } = await runPipeline(dot);
    expect(eventsOf(events, 'PipelineFailed')).toMatchObject([
      { kind: 'property', node_id: 'b', branch: 'b' },
    ]);
  });

  test('and again when it is resumed', async () => {
    const { result } = await runOnDisk(loop.replace('PROPERTY', 'at most 1 implement'), {
      script: failingOnce as never,
    });
    expect(result.status).toBe('fail');
    const again = await resumePipeline(result.run_dir);
    expect(again.result.status).toBe('fail');
    expect(eventsOf(again.events, 'PipelineFailed').at(-1)?.kind).toBe('property');
    expect(
      eventsOf(again.events, 'StageStarted').filter(({ node_id }) => node_id === 'implement'),
    ).toHaveLength(again.events.some(({ seq }) => seq === 1) ? 1 : 0);
  });
});

/** Properties as a configuration or a file gives them. */
function imposed(text: string, origin: 'configuration' | 'file' = 'configuration') {
  const read = readNamed('imposed', text, origin);
  if ('message' in read) throw new Error(read.message);
  return [read];
}

describe('144: a run keeps the properties with which it was started', () => {
  const plain = pipeline('ask [shape=hexagon]', 'work', 'start -> ask', 'ask -> work -> exit');

  test.each(['configuration', 'file'] as const)('of a %s, when a program resumes it', async (origin) => {
    const { result, directory } = await runPipeline(plain, { properties: imposed('never work', origin) });
    expect(result.status).toBe('paused');
    expect(jsonOf(directory, 'manifest.json')).toMatchObject({
      options: { extensions: { properties: [{ name: 'imposed', text: 'never work', origin }] } },
    });
    const again = await resumePipeline(directory, { answers: { ask: 'work' } });
    expect(again.result.status).toBe('fail');
    expect(eventsOf(again.events, 'PipelineFailed')).toMatchObject([{ kind: 'property', node_id: 'work' }]);
  });

  test('if the pipeline was compiled without them', async () => {
    const compilation = compile(pipeline('work', 'start -> work -> exit'));
    const result = await runWith(compilation, {
      simulate: true,
      properties: imposed('never work'),
      runDirectory: path.join(temporaryDirectory(), 'run'),
    });
    expect(result.status).toBe('fail');
  });
});
