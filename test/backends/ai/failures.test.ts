import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { StageSuspension } from '../../../src/handlers/handler.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { eventsOf, fileOf, runOnDisk, testEach } from '../../run/harness.js';
import {
  breaksOff,
  calls,
  crawls,
  garbles,
  type MockTurn,
  refuses,
  says,
} from '../../support/mock-models.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { bench, models, stage } from './bench.js';

const claude = 'llm_model="claude-sonnet-4-5"';
const write = calls(['write_file', { path: 'a.txt', content: 'a' }]);
const report = (input: object): MockTurn => calls(['report_outcome', input]);

describe('122: what passes is asked for again, and costs the stage no attempt', () => {
  for (const { name, attributes } of models) {
    test.each<readonly [what: string, turn: MockTurn, wait: number | undefined]>([
      ['429 with retry-after', refuses(429, { retryAfter: 7, type: 'rate_limit_error' }), 7000],
      ['500', refuses(500), undefined],
      [
        'a connection that breaks',
        breaksOff('A sentence that is never read to its end, '.repeat(5)),
        undefined,
      ],
      ['malformed JSON', garbles(), undefined],
    ])(`${name}: %s`, async (_what, turn, wait) => {
      const { run, mock } = await bench([turn, says('done')]);
      const { result, events, directory } = await run(stage(`${attributes}, max_retries=1`));
      expect(result.failure_reason).toBeUndefined();
      expect(result.status).toBe('success');
      expect(fileOf(directory, 'work', 'response.md')).toBe('done');
      expect(mock.requests()).toHaveLength(2);
      expect(eventsOf(events, 'StageRetrying')).toEqual([]);
      expect(eventsOf(events, 'RequestRetrying').map(({ delay }) => delay)).toEqual([wait ?? 2000]);
    });
  }
});

describe('App. D: what does not pass is not tried again', () => {
  for (const { name, attributes } of models) {
    test(`${name}: 401`, async () => {
      const { run, mock } = await bench([refuses(401, { type: 'authentication_error', message: 'bad key' })]);
      const { result } = await run(stage(`${attributes}, max_retries=3`));
      expect(result.status).toBe('fail');
      expect(result.failure_reason).toContain('bad key');
      const advice =
        name === 'openai-compatible' ? 'no API key was sent: name the variable' : 'check the API key';
      expect(result.failure_reason).toContain(advice);
      expect(mock.requests()).toHaveLength(1);
    });

    test(`${name}: a conversation that is too long, with what to do`, async () => {
      const error = { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' };
      const { run, mock } = await bench([refuses(400, error)]);
      const { result } = await run(stage(`${attributes}, max_retries=3`));
      expect(result.failure_reason).toContain('fidelity="compact"');
      expect(mock.requests()).toHaveLength(1);
    });
  }

  test.each([
    ['ANTHROPIC_API_KEY is not set', claude, { ANTHROPIC_API_KEY: undefined }],
    ['GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY', 'llm_model="gemini-2.5-pro"', { GEMINI_API_KEY: '' }],
    ['no provider "opnai" (did you mean "openai"?)', 'llm_provider="opnai", llm_model="gpt-5"', {}],
    ['set llm_provider', 'llm_model="llama3"', {}],
    ['set llm_model', 'llm_provider="anthropic"', {}],
  ])('without what it needs: %s', async (reason, attributes, variables) => {
    const { run, mock } = await bench([says('never')], { variables });
    const { result } = await run(stage(`${attributes}, max_retries=3`));
    expect(result.failure_reason).toContain(reason);
    expect(mock.requests()).toHaveLength(0);
  });
});

describe('Appendix C: a verdict', () => {
  const ways = ['work -> exit [label="Ship"]', 'work -> work [label="Again"]'];

  test('that cannot be used is told to the model, which corrects it', async () => {
    const { run, mock } = await bench([
      report({ outcome: 'great' }),
      report({ outcome: 'success', preferred_label: 'Shipp' }),
      report({ outcome: 'success', preferred_label: 'Ship' }),
    ]);
    const { result, events } = await run(stage(claude, ...ways));
    expect(result.status).toBe('success');
    const told = eventsOf(events, 'ToolCallCompleted').map(({ output }) => output);
    expect(told[0]).toContain('"outcome" must be one of');
    expect(told[1]).toContain('did you mean "Ship"?');
    expect(told[2]).toContain('recorded');
    expect(mock.requests()).toHaveLength(3);
  });

  test('that is never usable fails the stage after three corrections', async () => {
    const { run, mock } = await bench(Array.from({ length: 9 }, () => report({ outcome: 'great' })));
    const { result } = await run(stage(claude, ...ways));
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain('no usable outcome');
    expect(mock.requests()).toHaveLength(4);
  });

  test('that the model gives up on is not a success', async () => {
    const { run } = await bench([report({ outcome: 'great' }), says('I give up'), says('Really')]);
    const { result } = await run(stage(claude));
    expect(result.failure_reason).toContain('no usable outcome');
  });

  test('next to a call that failed is reported too early', async () => {
    const { run } = await bench([
      calls(['read_file', { path: 'missing' }], ['report_outcome', { outcome: 'success' }]),
      report({ outcome: 'fail', failure_reason: 'there is no such file' }),
    ]);
    const { result } = await run(stage(claude));
    expect(result.failure_reason).toContain('there is no such file');
  });

  test('is asked for once more where the stage could have failed; then the answer counts', async () => {
    const { run, mock } = await bench([says('The work is done.'), says('I said so.')]);
    const { result, events, directory } = await run(
      stage(claude, 'work -> exit', 'work -> work [label="Again", condition="outcome=fail"]'),
    );
    expect(result.status).toBe('success');
    expect(mock.requests()).toHaveLength(2);
    expect(JSON.stringify(mock.requests()[1]?.body.messages)).toContain('you must call the tool');
    expect(fileOf(directory, 'work', 'response.md')).toBe('The work is done.');
    expect(warnings(events)).toContainEqual(expect.stringContaining('did not call report_outcome'));
  });

  const cutOffReport: MockTurn = {
    response: {
      toolCalls: [{ name: 'report_outcome', arguments: '{"outcome":"fail"}' }],
      finishReason: 'length',
    },
  };

  test.each<readonly [what: string, turn: MockTurn]>([
    [
      'next to a call that failed',
      calls(['run_command', { command: 'false' }], ['report_outcome', { outcome: 'fail' }]),
    ],
    ['in a reply that was cut off', cutOffReport],
  ])('%s is asked for again, and is not a success when none follows', async (what, turn) => {
    const { run, mock } = await bench([turn, says('It fails.'), says('It does.')]);
    const { result } = await run(stage(claude));
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain(`an outcome ${what}`);
    expect(mock.requests()).toHaveLength(3);
  });

  test('next to a call that failed counts when it is reported again', async () => {
    const { run } = await bench([
      calls(['run_command', { command: 'false' }], ['report_outcome', { outcome: 'success' }]),
      report({ outcome: 'fail', failure_reason: 'the tests fail' }),
    ]);
    const { result } = await run(stage(claude));
    expect(result.failure_reason).toContain('the tests fail');
  });

  test('is not asked for where there is one way out', async () => {
    const { run, mock } = await bench([says('done')]);
    expect((await run(stage(claude))).result.status).toBe('success');
    expect(mock.requests()).toHaveLength(1);
  });
});

describe('4.5: a reply that is not complete', () => {
  const cut = (text: string): MockTurn => says(text, { finishReason: 'length' });

  // The mock says it of OpenAI as nobody else does; test/backends/ai/wire.test.ts has the real words.
  const others = models.filter(({ name }) => name !== 'openai');
  testEach(others, async ({ attributes }) => {
    const { run, mock } = await bench([cut('One, two, '), cut('three, '), says('four.')]);
    const { result, directory } = await run(stage(attributes));
    expect(result.failure_reason).toBeUndefined();
    expect(fileOf(directory, 'work', 'response.md')).toBe('One, two, three, four.');
    expect(JSON.stringify(mock.requests()[1]?.body.messages)).toContain('cut off by the length limit');
  });

  test('after some continuations is marked, and fails', async () => {
    const { run, mock } = await bench(Array.from({ length: 9 }, () => cut('more ')));
    const { result, directory } = await run(stage(claude));
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain('cut off by the length limit');
    expect(fileOf(directory, 'work', 'response.md')).toBe(
      'more more more more \n\n[cut off by the length limit]',
    );
    expect(mock.requests()).toHaveLength(4);
  });

  test('may come again later in a long stage', async () => {
    const later = Array.from({ length: 3 }, () => [cut('One, '), cut('two, '), write]);
    const { run } = await bench([...later.flat(), cut('Three, '), says('four.')]);
    const { result, directory } = await run(stage(claude));
    expect(result.failure_reason).toBeUndefined();
    expect(fileOf(directory, 'work', 'response.md')).toBe('Three, four.');
  });

  test('has no tool call that is made', async () => {
    const { run, workspace } = await bench([
      {
        response: {
          toolCalls: [{ name: 'write_file', arguments: '{"path":"half.txt","content":"half"}' }],
          finishReason: 'length',
        },
      },
      calls(['run_command', { command: 'ls -A' }]),
      says('done'),
    ]);
    const { result, events } = await run(stage(claude));
    expect(result.status).toBe('success');
    const told = eventsOf(events, 'ToolCallCompleted').map(({ success, output }) => [success, output]);
    expect(told[0]).toEqual([false, expect.stringContaining('was not made')]);
    expect(told[1]).toEqual([true, 'exit code 0\n[it printed nothing]']);
    expect(workspace).toBeTruthy();
  });

  test('because of a content filter fails for good', async () => {
    const { run, mock } = await bench([says('I', { finishReason: 'content_filter' })]);
    const { result } = await run(stage('llm_model="local/llama", max_retries=3'));
    expect(result.failure_reason).toContain('content filter');
    expect(mock.requests()).toHaveLength(1);
  });

  test('because it is empty is tried again', async () => {
    const { run, mock } = await bench([says(''), says('done')]);
    const { result } = await run(stage(`${claude}, max_retries=1`));
    expect(result.status).toBe('success');
    expect(mock.requests()).toHaveLength(2);
  });
});

describe('a stage that is stopped', () => {
  test('by its timeout asks no more', async () => {
    const { run, mock } = await bench([crawls('letter by letter '.repeat(100), 50), says('late')]);
    const clock = virtualClock({ mayPass: () => mock.requests().length > 0 });
    const { result } = await run(stage(`${claude}, timeout=2s`), { clock });
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain('2s');
    expect(mock.requests()).toHaveLength(1);
  });

  test('by a person makes none of the calls that are left', async () => {
    const late = ['write_file', { path: 'late.txt', content: 'late' }] as const;
    const { setup, workspace } = await bench([calls(['list_files', {}], late, late), says('done')]);
    const stop = new AbortController();
    const given = await setup();
    let isOver: Promise<unknown> = Promise.resolve();
    const { result } = await runOnDisk(stage(claude), {
      ...given,
      signal: stop.signal,
      backend: {
        run: (node, prompt, context, call) => {
          if (given.backend === undefined) throw new Error('there is a backend');
          const done = given.backend.run(node, prompt, context, call);
          isOver = Promise.allSettled([done]);
          return done;
        },
      },
      onEvent: (event) => {
        if (event.type === 'ToolCallStarted') stop.abort();
      },
    });
    await isOver;
    expect(result.status).toBe('cancelled');
    expect(existsSync(path.join(workspace, 'late.txt'))).toBe(false);
  });

  test('by a budget makes no further request', async () => {
    const { setup, mock } = await bench([write, write, says('done')]);
    const { backend, ...rest } = await setup();
    let allowed = 2;
    const { result } = await runOnDisk(stage(claude), {
      ...rest,
      backend: {
        run: (node, prompt, context, call) => {
          const checkBudget = (): void => {
            allowed -= 1;
            if (allowed < 0) throw new StageSuspension('the budget is used up');
          };
          if (backend === undefined) throw new Error('there is a backend');
          return backend.run(node, prompt, context, { ...call, checkBudget });
        },
      },
    });
    expect(result.status).toBe('paused');
    expect(result.paused_reason).toContain('the budget is used up');
    expect(mock.requests()).toHaveLength(2);
  });

  test('by the bound on its requests says so', async () => {
    const { run, mock } = await bench(
      Array.from({ length: 9 }, () => write),
      {
        settings: { ai: { max_requests: 3 } },
      },
    );
    const { result } = await run(stage(claude));
    expect(result.failure_reason).toContain('within 3 requests');
    expect(mock.requests()).toHaveLength(3);
  });
});

function warnings(events: readonly RunEvent[]): readonly string[] {
  return eventsOf(events, 'LogAppended').map(({ message }) => message);
}
