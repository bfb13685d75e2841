import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { eventsOf, fileOf, jsonOf, pipeline, runOnDisk, runPipeline, type Setup } from '../run/harness.js';

const dot = (attributes = 'prompt="Plan $goal."', ...more: readonly string[]) =>
  pipeline('goal="the launch"', `a [${attributes}]`, 'start -> a -> exit', ...more);

/** A backend that does this, whatever it is asked. */
const backend = (run: CodergenBackend['run']): Setup => ({ backend: { run } });
const responds = (response: unknown) => backend(() => Promise.resolve(response as string));
const throws = (error: unknown) => backend(() => Promise.reject(error));

describe('4.5: an LLM stage', () => {
  test('hands node, prompt, context and circumstances to the backend', async () => {
    const calls: unknown[] = [];
    const { directory } = await runPipeline(dot(), {
      workingDirectory: '/tmp',
      inputs: { n: 1 },
      ...backend((node, prompt, context, { signal, ...call }) => {
        calls.push([node.id, prompt, context.get('n'), context.get('current_node'), signal.aborted, call]);
        return Promise.resolve('done');
      }),
    });
    const call = {
      workingDirectory: '/tmp',
      stageDirectory: `${directory}/a`,
      logsRoot: directory,
      visit: 1,
      attempt: 1,
      fidelity: 'compact',
      model: { provider: undefined, model: undefined, reasoningEffort: 'high' },
      routes: { labels: [], targets: ['exit'], isChoice: false, needsLabel: false },
    };
    expect(calls).toEqual([['a', 'Plan the launch.', 1, 'a', false, expect.objectContaining(call)]]);
  });

  test('5.6: keeps prompt, response and status', async () => {
    const { directory, result } = await runPipeline(dot(), responds('A plan'));
    expect(fileOf(directory, 'a', 'prompt.md')).toBe('Plan the launch.');
    expect(fileOf(directory, 'a', 'response.md')).toBe('A plan');
    expect(jsonOf(directory, 'a', 'status.json')).toMatchObject({
      outcome: 'success',
      notes: 'Stage completed: a',
      context_updates: { last_stage: 'a', last_response: 'A plan' },
    });
    expect(result.context).toMatchObject({ last_stage: 'a', last_response: 'A plan' });
  });

  test.each([
    ['the label where there is no prompt', 'prompt="", label="Do $goal"', 'Do the launch'],
    ['the id where there is neither', 'prompt=""', 'a'],
  ])('takes %s', async (_what, attributes, prompt) => {
    const { directory } = await runPipeline(dot(attributes));
    expect(fileOf(directory, 'a', 'prompt.md')).toBe(prompt);
  });

  test('130: has a file with the system prompt of the graph, and its backend gets it without secrets', async () => {
    const told: (string | undefined)[] = [];
    const backend: CodergenBackend = {
      knownSecrets: [{ name: 'KEY', value: 'sesame-sesame-1234' }],
      run: async (_node, _prompt, _context, { systemPrompt }) => {
        told.push(systemPrompt);
        return 'done';
      },
    };
    const text = 'system_prompt="Serve $goal in ${inputs.style}, ${graph.team}: sesame-sesame-1234", team=us';
    const source = dot().replace('{', `{ graph [${text}];`);
    const { directory } = await runPipeline(source, { backend, inputs: { style: 'prose' } });
    expect(told).toEqual([expect.stringMatching(/^Serve the launch in prose, us: (?!sesame)/)]);
    expect(fileOf(directory, 'a', 'system_prompt.md')).toBe(told[0]);
    const simulated = await runPipeline(source, { inputs: { style: 'prose' } });
    expect(fileOf(simulated.directory, 'a', 'system_prompt.md')).toMatch(/^Serve the launch in prose/);
  });

  test('63: without a backend is simulated', async () => {
    const { directory, result } = await runPipeline(dot());
    expect(fileOf(directory, 'a', 'response.md')).toBe('[Simulated] Response for stage: a');
    expect(result.context.last_response).toBe('[Simulated] Response for stage: a');
  });

  test.each([
    ['x'.repeat(199), 'x'.repeat(199)],
    ['x'.repeat(201), 'x'.repeat(200)],
    ['😀'.repeat(201), '😀'.repeat(200)],
    [`${'x'.repeat(199)}😀y`, `${'x'.repeat(199)}😀`],
  ])('63, 72a: last_response has 200 characters, the file has all (%#)', async (response, kept) => {
    const { directory, result } = await runPipeline(dot(), responds(response));
    expect(result.context.last_response).toBe(kept);
    expect(fileOf(directory, 'a', 'response.md')).toBe(response);
  });

  test('63: an empty response is a success', async () => {
    expect((await runPipeline(dot(), responds(''))).result.status).toBe('success');
  });

  test.each<[name: string, outcome: Outcome, status: string, reason?: string]>([
    ['a success', { status: 'success', notes: 'n' }, 'success'],
    ['a failure', { status: 'fail', failure_reason: 'no' }, 'fail', 'no'],
    ['RETRY', { status: 'retry', failure_reason: 'later' }, 'fail', 'max retries exceeded: later'],
  ])('63: the backend may return %s as an outcome of its own', async (_name, outcome, status, reason) => {
    const { result } = await runPipeline(dot(), responds(outcome));
    expect(result).toMatchObject({ status });
    expect(result.failure_reason).toBe(reason);
  });

  test('59b: an agent may leave a status.json, which wins', async () => {
    const { writeFileSync } = await import('node:fs');
    const { events } = await runOnDisk(
      dot(),
      backend((_node, _prompt, _context, { stageDirectory }) => {
        writeFileSync(`${stageDirectory}/status.json`, '{"outcome":"fail","failure_reason":"tests are red"}');
        return Promise.resolve('All is well');
      }),
    );
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toEqual({
      status: 'fail',
      failure_reason: 'tests are red',
      context_updates: { last_stage: 'a', last_response: 'All is well' },
      response: expect.objectContaining({ $file: 'a/response.md', bytes: 11 }),
    });
  });
});

describe('3.6, 26: an error of the backend', () => {
  const withStatus = (status: number, key = 'statusCode') =>
    Object.assign(new Error(`HTTP ${status}`), { [key]: status });
  test.each<[name: string, error: unknown, attempts: number]>([
    ['429 is retryable', withStatus(429), 3],
    ['500 is', withStatus(500), 3],
    ['503 is, under the other name too', withStatus(503, 'status'), 3],
    ['408 is', withStatus(408), 3],
    ['401 is not', withStatus(401), 1],
    ['403 is not', withStatus(403), 1],
    ['400 is not', withStatus(400), 1],
    ['a connection that was reset is', Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 3],
    ['so is one that is the cause', new Error('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } }), 3],
    ['what calls itself retryable is', Object.assign(new Error('x'), { retryable: true }), 3],
    ['what calls itself final is not', Object.assign(new Error('x'), { isRetryable: false, status: 503 }), 1],
    ['an unknown error is not', new Error('no idea'), 1],
    ['a text is not', 'just text', 1],
    ['nothing at all is not', undefined, 1],
  ])('%s', async (_name, error, attempts) => {
    const { result, events } = await runPipeline(dot(undefined, 'default_max_retries=2'), throws(error));
    expect(result.status).toBe('fail');
    expect(eventsOf(events, 'StageStarted').filter(({ node_id }) => node_id === 'a')).toHaveLength(attempts);
  });

  test('26: is a failure with its message', async () => {
    const { result } = await runPipeline(dot(), throws(new Error('no key')));
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'no key', failed_node: 'a' });
  });

  test('24: an unknown one is retried where the node says max_retries, one that is final is not', async () => {
    const count = async (error: unknown) => {
      const { events } = await runPipeline(dot('prompt=x, max_retries=2'), throws(error));
      return eventsOf(events, 'StageRetrying').length;
    };
    expect(await count(new Error('no idea'))).toBe(2);
    expect(await count(withStatus(401))).toBe(0);
  });

  test('30: the backend is told when the time is up', async () => {
    let reason: unknown;
    const { result } = await runPipeline(
      dot('prompt=x, timeout=10m'),
      backend((_node, _prompt, _context, { signal }) => {
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        });
      }),
    );
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: 'timeout after 10m',
      duration_ms: 600_000,
    });
    expect(reason).toEqual(new Error('timeout after 10m'));
  });

  test.each<[response: unknown, says: string]>([
    [42, 'the backend returned 42; expected a string or an outcome: an object with a "status" (success, '],
    [[], 'the backend returned []; expected a string or an outcome'],
    [
      { status: 'success', notes: 5 },
      'the backend returned an invalid outcome: notes: expected a string, found 5',
    ],
    [{ text: 'hi' }, 'the backend returned {"text":"hi"}, which has no "status", and wrote no status.json'],
  ])('4.5: a response that is neither a text nor an outcome is told in words: %j', async (response, says) => {
    const { result } = await runPipeline(dot(), responds(response));
    expect(result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining(says) });
  });

  test('62: a response that is none is not a success', async () => {
    expect((await runPipeline(dot(), responds(undefined))).result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('reported no outcome'),
    });
    const agent = await runPipeline(dot('prompt=x, auto_status=true'), responds(undefined));
    expect(agent.result.status).toBe('success');
  });
});
