import { describe, expect, test } from 'vitest';
import type { AgentSettings } from '../../../../src/backends/settings.js';
import { eventsOf, fileOf, pipeline, testEach } from '../../../run/harness.js';
import { ends, play, says, updates } from './play.js';

const two = pipeline('a [prompt="First"]', 'b [prompt="Second"]', 'start -> a -> b -> exit');
const full = 'fidelity=full, thread_id=talk,';

describe('a session under full fidelity', () => {
  const abilities = [
    { name: 'loaded', abilities: { loadSession: true } },
    { name: 'resumed', abilities: { sessionCapabilities: { resume: {} } } },
  ];
  testEach(abilities, async ({ abilities }) => {
    const { result, events, agent, directory } = await play([[says('One.')], [says('Two.')]], {
      dot: two,
      attributes: full,
      script: { abilities },
    });
    expect(result.status).toBe('success');
    expect(agent.noted('prompt').map(({ earlier }) => (earlier as readonly string[]).length)).toEqual([0, 1]);
    // What it tells of earlier is not said again.
    expect(fileOf(directory, 'b', 'response.md')).toBe('Two.');
    const sessions = eventsOf(events, 'SessionStarted').map((event) => [event.backend, event.session_id]);
    expect(sessions[0]).toEqual(['acp:fake', agent.noted('opened')[0]?.session]);
  });

  test('starts over where the agent cannot take it up, and the log says it', async () => {
    const { result, agent, log } = await play([[says('One.')], [says('Two.')]], {
      dot: two,
      attributes: full,
      script: { abilities: {} },
    });
    expect(result.status).toBe('success');
    expect(agent.noted('prompt').map(({ earlier }) => earlier)).toEqual([[], []]);
    expect(log).toContainEqual(expect.stringContaining('cannot resume an earlier session'));
  });

  test('starts over where the agent has forgotten it', async () => {
    const { result, agent, log } = await play([[says('One.')], [says('Two.')]], {
      dot: two,
      attributes: full,
      script: { forgets: true },
    });
    expect(result.status).toBe('success');
    expect(agent.noted('prompt').map(({ earlier }) => earlier)).toEqual([[], []]);
    expect(log).toContainEqual(expect.stringContaining('and starts over'));
  });
});

describe('the model that a stage asks for', () => {
  const models = {
    id: 'm',
    category: 'model',
    name: 'Model',
    type: 'select',
    currentValue: 'small',
    options: [
      { value: 'small', name: 'Small' },
      { group: 'big', name: 'Big', options: [{ value: 'vendor/Large', name: 'Large' }] },
    ],
  };
  const efforts = {
    id: 'e',
    category: 'thought_level',
    name: 'Effort',
    type: 'select',
    currentValue: 'low',
    options: [
      { value: 'low', name: 'Low' },
      { value: 'high', name: 'High' },
    ],
  };
  const rows = [
    {
      name: 'is set by the option of the session, and the effort with it',
      script: { options: [models, efforts] },
      attributes: 'llm_model=large, reasoning_effort=high,',
      configured: [
        ['m', 'vendor/Large'],
        ['e', 'high'],
      ],
    },
    {
      name: 'is left as it is where it is that one already',
      script: { options: [models, efforts] },
      attributes: 'llm_model=small, reasoning_effort=low,',
      configured: [],
    },
    {
      name: 'is set as it was done before there were options',
      script: {
        begun: { models: { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'b' }] } },
      },
      attributes: 'llm_model=b,',
      configured: [['model', 'b']],
    },
    {
      name: 'is not known to the agent, and the log says which ones are',
      script: { options: [models] },
      attributes: 'llm_model=huge,',
      configured: [],
      says: /does not offer "huge" as its Model, and keeps "small"; it offers small, vendor\/Large/,
    },
    {
      name: 'cannot be chosen at all, and the log says so',
      script: {},
      attributes: 'llm_model=huge,',
      configured: [],
      says: /does not offer a choice of models/,
    },
  ];
  testEach(rows, async ({ script, attributes, configured, says: words }) => {
    const { result, agent, log } = await play([[says('Done.')]], { script, attributes });
    expect(result.status).toBe('success');
    expect(agent.noted('configured').map(({ option, value }) => [option, value])).toEqual(configured);
    if (words !== undefined) expect(log.join('\n')).toMatch(words);
  });
});

describe('what a known agent is started with', () => {
  const patient: Partial<AgentSettings> = { env: { CLAUDE_CODE_MAX_RETRIES: '9' } };
  const rows = [
    {
      name: 'claude-code',
      attributes: 'llm_model=opus,',
      args: [],
      variables: { ANTHROPIC_MODEL: 'opus', CLAUDE_CODE_MAX_RETRIES: '4', CLAUDE_CODE_EAGER_FLUSH: '1' },
    },
    {
      name: 'claude-code',
      attributes: '',
      settings: patient,
      args: [],
      variables: { CLAUDE_CODE_MAX_RETRIES: '9' },
    },
    {
      name: 'codex',
      attributes: 'llm_model="gpt-5",',
      settings: { env: { CODEX_CONFIG: '{"model":"x","web":true}' } },
      args: [],
      variables: { INITIAL_AGENT_MODE: 'workspace-write', CODEX_CONFIG: '{"model":"gpt-5","web":true}' },
    },
    {
      name: 'codex',
      attributes: '',
      settings: { permissions: 'deny' as const },
      args: [],
      variables: { INITIAL_AGENT_MODE: 'read-only', CODEX_CONFIG: undefined },
    },
    {
      name: 'gemini-cli',
      attributes: 'llm_model="gemini-2.5-pro",',
      args: ['--include-directories', expect.stringMatching(/run\/work$/), '--model', 'gemini-2.5-pro'],
      variables: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    },
    { name: 'opencode', attributes: '', args: [], variables: { ATTRACTOR_NODE_ID: 'work' } },
  ];
  testEach(rows, async ({ name, attributes, settings, args, variables }) => {
    const { agent, result } = await play([[says('Done.')]], {
      name,
      attributes,
      ...(settings && { settings }),
    });
    expect(result.status).toBe('success');
    const [started] = agent.noted('started');
    expect(started?.args).toEqual(args);
    const environment = started?.environment as Readonly<Record<string, string>>;
    const found = Object.keys(variables).map((key) => [key, environment[key]]);
    expect(Object.fromEntries(found)).toEqual(variables);
    // Gemini CLI cannot create a file where files are offered.
    expect(agent.noted('initialized')[0]?.capabilities).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
    });
  });

  test('it is signed in by a key that is set', async () => {
    const { agent, result } = await play([[says('Done.')]], {
      name: 'codex',
      script: { needsKey: true, authMethods: [{ id: 'api-key', name: 'Key' }] },
      settings: { env: { OPENAI_API_KEY: 'key' } },
    });
    expect(result.status).toBe('success');
    expect(agent.noted('signed_in')).toMatchObject([{ method: 'api-key' }]);
  });
});

describe('a request to its model that Claude Code makes again', () => {
  const retry = {
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    max_retries: 4,
    retry_delay_ms: 533.1,
    error_status: 401,
    error: 'authentication_failed',
  };

  test('is in the log of the run, with what it waits for', async () => {
    const message = { sessionId: 's', message: retry };
    const { log, events } = await play(
      [[{ do: 'notify', method: '_claude/sdkMessage', params: message }, says('Done.')]],
      { name: 'claude-code' },
    );
    expect(log).toEqual([
      'Claude Code: the request to its model failed (401 authentication_failed); it tries again in 0.5 s (retry 1 of 4)',
    ]);
    expect(eventsOf(events, 'LogAppended')[0]?.level).toBe('warning');
  });

  test('what it tells besides is passed over', async () => {
    const message = { sessionId: 's', message: { type: 'assistant' } };
    const { log, result } = await play(
      [[{ do: 'notify', method: '_claude/sdkMessage', params: message }, says('Done.')]],
      { name: 'claude-code' },
    );
    expect([result.status, log]).toEqual(['success', []]);
  });
});

describe('what an agent says of its use', () => {
  const cost = (amount: number, currency = 'USD') =>
    updates('usage_update', { used: 5000, size: 200_000, cost: { amount, currency } });

  test('costs count as they grow, tokens at the end, and nothing twice', async () => {
    const usage = {
      inputTokens: 10,
      outputTokens: 5,
      cachedReadTokens: 100,
      thoughtTokens: 2,
      totalTokens: 115,
    };
    const { events } = await play([
      [cost(0.5), cost(0.5), cost(0.75), says('Done.'), ends('end_turn', { usage })],
    ]);
    const used = eventsOf(events, 'ModelUsed').map((event) => event.usage);
    expect(used.map(({ cost_usd }) => cost_usd)).toEqual([0.5, 0.25, 0]);
    expect(used[2]).toMatchObject({
      requests: 1,
      ...{ input_tokens: 110, cached_input_tokens: 100, output_tokens: 5, reasoning_tokens: 2 },
    });
  });

  test('what a session has cost before is not counted again by the process that takes it up', async () => {
    const replays = [
      { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount: 4, currency: 'USD' } },
    ];
    const { events, result } = await play(
      [
        [cost(4), says('One.')],
        [cost(5.5), says('Two.')],
      ],
      {
        dot: two,
        attributes: full,
        script: { replays },
      },
    );
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'ModelUsed').map(({ node_id, usage }) => [node_id, usage.cost_usd])).toEqual([
      ['a', 4],
      ['b', 1.5],
    ]);
  });

  const costsOfTwo = async (name: string, first: number, second: number) => {
    const { events } = await play(
      [
        [cost(first), says('One.')],
        [cost(second), says('Two.')],
      ],
      { dot: two, attributes: full, name, script: { abilities: { sessionCapabilities: { resume: {} } } } },
    );
    return eventsOf(events, 'ModelUsed').map(({ usage }) => usage.cost_usd);
  };

  test('of OpenCode, costs are those of the whole session, whichever process tells them', async () => {
    expect(await costsOfTwo('opencode', 0.25, 0.375)).toEqual([0.25, 0.125]);
  });

  test('of Claude Code, they start over with each process, also where the second one costs more', async () => {
    expect(await costsOfTwo('claude-code', 0.25, 0.375)).toEqual([0.25, 0.375]);
  });

  test('in the words of Gemini CLI', async () => {
    const quota = {
      model_usage: [{ model: 'gemini-x', token_count: { input_tokens: 7, output_tokens: 3 } }],
    };
    const { events } = await play([[says('Done.'), ends('end_turn', { _meta: { quota } })]]);
    expect(eventsOf(events, 'ModelUsed')).toMatchObject([
      { model: 'gemini-x', usage: { input_tokens: 7, output_tokens: 3 } },
    ]);
  });

  test('another currency is not money that we can count', async () => {
    const { events } = await play([[cost(3, 'credits'), says('Done.')]]);
    expect(eventsOf(events, 'ModelUsed')).toEqual([]);
  });

  test('a budget that is used up stops the agent in the middle of its turn', async () => {
    const { result, agent } = await play([[says('Let me see'), cost(2), { do: 'hang' }]], {
      dot: pipeline('work [budget_usd=1]', 'start -> work -> exit'),
      // One that minds SIGTERM may be gone before it has heard of it.
      script: { deaf: true },
    });
    expect(result).toMatchObject({ status: 'paused' });
    expect(result.paused_reason).toMatch(/budget/);
    expect(agent.noted('cancelled')).toHaveLength(1);
  });
});
