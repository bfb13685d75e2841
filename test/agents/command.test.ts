import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandBackend } from '../../src/backends/command/command-backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import { eventsOf, pipeline, runOnDisk, type Setup } from '../run/harness.js';
import { type MockTurn, mockModels, refuses, says } from '../support/mock-models.js';
import { withNamespace } from '../support/namespaced-tools.js';
import { processesWith } from '../support/processes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';
import { agentPath, patience, whyNotStartable } from './installed-agents.js';

type Variables = Readonly<Record<string, string>>;

interface RealAgent {
  readonly name: string;
  readonly program: string;
  readonly model: string;
  /** How its model calls the tool that writes files. */
  readonly write: readonly [tool: string, input: object];
  /** Whether it has the tool `report_outcome`; otherwise its verdict is a file, which it writes too. */
  readonly hasVerdictTool: boolean;
  /** What points it at the mock, in a home of its own. */
  prepare(url: string, home: string): Promise<Variables> | Variables;
}

const agents: readonly RealAgent[] = [
  {
    name: 'claude-code',
    program: 'claude',
    model: 'claude-sonnet-4-5',
    write: ['Write', { file_path: 'hello.txt', content: 'hello\n' }],
    hasVerdictTool: true,
    prepare: (url) => ({
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'codex',
    program: 'codex',
    model: 'gpt-5.1-codex',
    write: ['exec_command', { cmd: 'echo hello > hello.txt' }],
    hasVerdictTool: true,
    async prepare(mock, home) {
      const url = await withNamespace(mock, 'mcp__attractor', 'report_outcome');
      put(
        path.join(home, '.codex/config.toml'),
        [
          'model_provider = "mock"',
          '[model_providers.mock]',
          `name = "mock"\nbase_url = "${url}/v1"\nenv_key = "MOCK_KEY"\nwire_api = "responses"`,
          'request_max_retries = 0\nstream_max_retries = 0',
        ].join('\n'),
      );
      return { MOCK_KEY: 'key' };
    },
  },
  {
    name: 'gemini-cli',
    program: 'gemini',
    model: 'gemini-2.5-pro',
    write: ['write_file', { file_path: 'hello.txt', content: 'hello\n' }],
    hasVerdictTool: false,
    prepare(url, home) {
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      put(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url };
    },
  },
];

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** In the words of every provider. */
const usage = {
  ...{ input_tokens: 100, output_tokens: 10 },
  ...{ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  ...{ promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
};

/** A call of a tool by whatever name the agent has told the model. */
function callsTool(name: string, input: object): MockTurn {
  return {
    response: ({ tools = [] }) => {
      const known = tools.map((tool) => tool.function.name);
      const tool = known.find((one) => one === name) ?? known.find((one) => one.endsWith(name)) ?? name;
      return { toolCalls: [{ name: tool, arguments: JSON.stringify(input) }], usage };
    },
  };
}

/** A call of the tool that says how the stage ended, or that writes the file which the prompt names. */
function givesVerdict({ hasVerdictTool, write: [tool] }: RealAgent, verdict: object): MockTurn {
  if (hasVerdictTool) return callsTool('report_outcome', verdict);
  return {
    response: ({ messages }) => {
      const file = /write the file \\?"([^"\\]+)/.exec(JSON.stringify(messages))?.[1];
      const input = { file_path: file, content: JSON.stringify(verdict) };
      return { toolCalls: [{ name: tool, arguments: JSON.stringify(input) }], usage };
    },
  };
}

interface Bench {
  readonly workplace: string;
  run(dot: string, setup?: Setup): ReturnType<typeof runOnDisk>;
}

async function benchFor(agent: RealAgent, turns: readonly MockTurn[]): Promise<Bench> {
  const place = temporaryDirectory();
  const [workplace, home] = [path.join(place, 'workplace'), path.join(place, 'home')];
  for (const directory of [workplace, home]) mkdirSync(directory);
  const models = await mockModels(turns);
  const env = { ...(await agent.prepare(models.url, home)), HOME: home };
  const backend = await commandBackend.create({
    workingDirectory: workplace,
    settings: { ...noBackendSettings, agents: new Map([[agent.name, { env, ...patience }]]) },
    variables: { PATH: agentPath },
  });
  const run: Bench['run'] = async (dot, setup) => {
    const played = await runOnDisk(dot, {
      ...{ backend, workingDirectory: workplace, runDirectory: path.join(workplace, '.attractor/run') },
      // A process takes its time; only what the engine waits for between two attempts may pass at once.
      clock: virtualClock(),
      ...setup,
    });
    // What was killed takes a moment to be gone.
    const left = () => processesWith(place);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    return played;
  };
  return { workplace, run };
}

for (const agent of agents) {
  const reason = whyNotStartable(agent.program);
  const because = reason === undefined ? '' : ` (skipped: ${reason})`;
  describe.skipIf(reason !== undefined)(`${agent.name} by its command line${because}`, () => {
    const attributes = `llm_provider="${agent.name}", llm_model="${agent.model}"`;

    test('writes a file, and goes where its verdict says', async () => {
      const verdict = { outcome: 'success', preferred_label: 'Ship', notes: 'written' };
      const turns = [callsTool(...agent.write), givesVerdict(agent, verdict), says('All done.', { usage })];
      const { run, workplace } = await benchFor(agent, turns);
      const { result, events, directory } = await run(
        pipeline(
          `work [prompt="Write hello.txt", ${attributes}]`,
          'ship [shape=parallelogram, tool_command="true"]',
          'fix [shape=parallelogram, tool_command="true"]',
          'start -> work',
          'work -> ship [label="Ship"]',
          'work -> fix [label="Fix"]',
          'ship -> exit',
          'fix -> exit',
        ),
      );
      expect(result, result.failure_reason).toMatchObject({ path: ['start', 'work', 'ship', 'exit'] });
      expect(readFileSync(path.join(workplace, 'hello.txt'), 'utf8')).toBe('hello\n');
      expect(readFileSync(path.join(directory, 'work/response.md'), 'utf8')).toBe('All done.');
      const used = eventsOf(events, 'ModelUsed').map((event) => event.usage);
      expect(used.reduce((sum, one) => sum + one.input_tokens, 0)).toBe(300);
      expect(used.reduce((sum, one) => sum + one.output_tokens, 0)).toBe(30);
      const completed = eventsOf(events, 'ToolCallCompleted');
      expect(completed).toHaveLength(2);
      expect(completed.every(({ success }) => success)).toBe(true);
      expect(existsSync(path.join(directory, 'work/agent-stdout.log'))).toBe(true);
    });

    test('continues with its conversation, and counts each turn once', async () => {
      let told = '';
      const second: MockTurn = {
        response: ({ messages }) => {
          told = JSON.stringify(messages);
          return { content: 'Still seven.', usage };
        },
      };
      const { run } = await benchFor(agent, [says('Seven.', { usage }), second]);
      const thread = `fidelity=full, thread_id=talk, ${attributes}`;
      const { result, events } = await run(
        pipeline(
          `a [prompt="Remember the number 7", ${thread}]`,
          `b [prompt="Which number was it?", ${thread}]`,
          'start -> a -> b -> exit',
        ),
      );
      expect(result, result.failure_reason).toMatchObject({ status: 'success' });
      expect(told).toContain('Remember the number 7');
      expect(told).toContain('Which number was it?');
      const used = eventsOf(events, 'ModelUsed').map((event) => [event.node_id, event.usage.input_tokens]);
      expect(used.filter(([, tokens]) => tokens !== 0)).toEqual([
        ['a', 100],
        ['b', 100],
      ]);
    });

    test('starts over where its conversation is gone', async () => {
      const { run } = await benchFor(agent, [says('Seven.', { usage }), says('Fresh.', { usage })]);
      const thread = `fidelity=full, thread_id=talk, ${attributes}`;
      const { result, events } = await run(
        pipeline(
          `a [prompt="Remember the number 7", ${thread}]`,
          'forget [shape=parallelogram, tool_command="rm -rf ../home/.claude/projects ../home/.codex/sessions ../home/.codex/*.sqlite* ../home/.gemini/tmp"]',
          `b [prompt="Which number was it?", ${thread}]`,
          'start -> a -> forget -> b -> exit',
        ),
      );
      expect(result, result.failure_reason).toMatchObject({ status: 'success' });
      expect(
        eventsOf(events, 'LogAppended')
          .map(({ message }) => message)
          .join('\n'),
      ).toContain('starts over');
    });

    test('does not try again with a key that is refused', async () => {
      const { run } = await benchFor(
        agent,
        Array.from({ length: 20 }, () => refuses(401)),
      );
      const { result, events } = await run(
        pipeline(`work [prompt="Say hello", max_retries=2, ${attributes}]`, 'start -> work -> exit'),
      );
      expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
      expect(result.failure_reason).toMatch(/401/);
      expect(eventsOf(events, 'StageRetrying')).toEqual([]);
    });
  });
}
