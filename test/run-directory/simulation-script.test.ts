import { describe, expect, test } from 'vitest';
import { readScript, scriptToJson } from '../../src/run-directory/simulation-script.js';
import { eventsOf, fileOf, jsonOf, pipeline, resumePipeline, runPipeline } from '../run/harness.js';

const dot = pipeline('a [max_retries=1]', 'start -> a -> exit');

describe('DESIGN 5: a simulation script', () => {
  test.each<[name: string, script: unknown, message: string]>([
    ['a key that is none', { nods: {} }, 'nods'],
    ['a status that is none', { nodes: { a: { outcome: 'SUCCESS' } } }, 'nodes.a'],
    ['a field that is none', { nodes: { a: { outcom: 'fail' } } }, 'nodes.a'],
    ['a delay that is none', { nodes: { a: { delay: 'soon' } } }, 'nodes.a'],
    ['no entries', { nodes: { a: [] } }, 'nodes.a'],
    ['a list in place of nodes', { nodes: [] }, 'nodes: expected an object'],
    ['a text', 'nodes', ''],
  ])('with %s is refused', (_name, script, message) => {
    expect(() => readScript(script, 'script.yaml')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(new RegExp(`^the script script.yaml cannot be used: .*${message}`)),
      }),
    );
  });

  test('that is empty says nothing', () => {
    for (const empty of [undefined, null, {}, { nodes: {} }]) {
      expect(readScript(empty, 'x')).toEqual({ nodes: new Map(), answers: new Map() });
    }
  });

  test('takes one entry for a list, and numbers and booleans as answers', () => {
    const script = readScript({ nodes: { a: { outcome: 'fail' } }, answers: { g: 2, h: [true, 'A'] } }, 'x');
    expect(script.nodes.get('a')).toMatchObject([{ outcome: 'fail' }]);
    expect([...script.answers]).toEqual([
      ['g', ['2']],
      ['h', ['true', 'A']],
    ]);
  });

  test('is read back from the manifest as it was', () => {
    const written = JSON.parse(
      '{"nodes":{"__proto__":{"delay":"2s","context_updates":{"x":[1]}}},"answers":{"constructor":["A"]}}',
    );
    const script = readScript(written, 'x');
    expect([...script.nodes.keys(), ...script.answers.keys()]).toEqual(['__proto__', 'constructor']);
    expect(readScript(JSON.parse(JSON.stringify(scriptToJson(script))), 'x')).toEqual(script);
  });

  test('86: that speaks of a node that is not there is refused before anything runs', async () => {
    await expect(runPipeline(dot, { script: { b: {} } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('"b"'),
    });
  });

  test('its last entry repeats; the real handler is never touched', async () => {
    const { events } = await runPipeline(pipeline('a [type=custom, max_retries=3]', 'start -> a -> exit'), {
      script: {
        a: [
          { outcome: 'fail', failure_reason: 'one' },
          { outcome: 'fail', failure_reason: 'more' },
        ],
      },
      handlers: {
        custom: () => {
          throw new Error('touched');
        },
      },
    });
    expect(eventsOf(events, 'StageFailed').map(({ error }) => error)).toEqual([
      'one',
      'more',
      'more',
      'max retries exceeded: more',
    ]);
  });

  test('86: continues across retries, visits and resuming', async () => {
    const fail = (failure_reason: string) => ({ outcome: 'fail', failure_reason });
    const text = pipeline('a [max_retries=1, retry_target=a, max_visits=2]', 'start -> a -> exit');
    const { result, directory } = await runPipeline(text, {
      script: { a: [fail('1'), fail('2'), fail('3'), fail('4'), fail('5'), { notes: '6' }] },
    });
    expect(result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining('max_visits') });
    expect(jsonOf(directory, 'a', 'status.json').failure_reason).toBe('max retries exceeded: 4');
  });

  test('86: a run that failed continues with the entry after it', async () => {
    const { directory } = await runPipeline(pipeline('a', 'start -> a -> exit'), {
      script: { a: [{ outcome: 'fail' }, { outcome: 'success', notes: 'second' }] },
    });
    const { result } = await resumePipeline(directory);
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 'a', 'status.json').notes).toBe('second');
  });

  test('writes a response as an LLM stage would', async () => {
    const { directory, result } = await runPipeline(dot, {
      script: { a: { response: 'done', context_updates: { x: 1 }, notes: 'my own' } },
    });
    expect(fileOf(directory, 'a', 'response.md')).toBe('done');
    expect(result.context).toMatchObject({ last_stage: 'a', last_response: 'done', x: 1 });
    expect(jsonOf(directory, 'a', 'status.json').notes).toBe('my own');
  });

  test('takes its time, and throws', async () => {
    const { result, events } = await runPipeline(dot, {
      script: { a: [{ delay: '90m', throw: 'boom' }, { delay: 2 }] },
    });
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'StageFailed')).toMatchObject([{ error: 'boom', duration: 5_400_000 }]);
    expect(eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'a')?.duration).toBe(2000);
  });

  test('may name the label as a status file does', async () => {
    const { directory } = await runPipeline(dot, { script: { a: { preferred_next_label: 'Go' } } });
    expect(jsonOf(directory, 'a', 'status.json').preferred_label).toBe('Go');
  });
});
