import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { acpBackend } from '../../src/backends/acp/acp-backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import { eventsOf, pipeline, runOnDisk } from '../run/harness.js';
import { type MockModels, type MockTurn, mockModels, refuses, says } from '../support/mock-models.js';
import { withNamespace } from '../support/namespaced-tools.js';
import { processesWith } from '../support/processes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';
import { agentPath, patience, whyNotStartable } from './installed-agents.js';

interface RealAgent {
  readonly name: string;
  readonly program: string;
  readonly model: string;
  /** How its model calls the tool that writes files; claude wants a whole path. */
  write(workplace: string): readonly [tool: string, input: object];
  /** How it calls the tool that reads the end of a file, or all of it. */
  read(file: string): readonly [tool: string, input: object];
  /** What points it at the mock, in a home of its own. */
  prepare(url: string, home: string): Promise<Readonly<Record<string, string>>>;
}

const agents: readonly RealAgent[] = [
  {
    name: 'gemini-cli',
    program: 'gemini',
    model: 'gemini-2.5-pro',
    write: (workplace) => [
      'write_file',
      { file_path: path.join(workplace, 'hello.txt'), content: 'hello\n' },
    ],
    read: (file) => ['read_file', { file_path: file }],
    async prepare(url, home) {
      mkdirSync(path.join(home, '.gemini'));
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url };
    },
  },
  {
    name: 'claude-code',
    program: 'claude-agent-acp',
    model: 'sonnet',
    write: (workplace) => ['Write', { file_path: path.join(workplace, 'hello.txt'), content: 'hello\n' }],
    read: (file) => ['Read', { file_path: file, offset: 29_990, limit: 20 }],
    prepare: async (url) => ({
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Where it is set, and the user is root, the adapter asks for what the agent refuses.
      IS_SANDBOX: '',
    }),
  },
  {
    name: 'codex',
    program: 'codex-acp',
    model: 'gpt-5.1-codex',
    write: () => ['exec_command', { cmd: 'echo hello > hello.txt' }],
    read: (file) => ['exec_command', { cmd: `tail -n 3 ${file}` }],
    async prepare(url) {
      const mock = {
        name: 'mock',
        base_url: `${await withNamespace(url, 'mcp__attractor', 'report_outcome')}/v1`,
        ...{ env_key: 'OPENAI_API_KEY', wire_api: 'responses' },
        ...{ request_max_retries: 0, stream_max_retries: 0 },
      };
      const config = { model_provider: 'mock', model_providers: { mock } };
      return { OPENAI_API_KEY: 'key', NO_BROWSER: '1', CODEX_CONFIG: JSON.stringify(config) };
    },
  },
];

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

/** Beyond the beginning of the value. */
const someFinding = /finding (?:1\d{3}|2999\d)\b/;

/** A call of the agent's own tool with the path in its prompt. */
function readsValue(agent: RealAgent): MockTurn {
  return {
    response(request) {
      const [, file = ''] = /in the file \\?"([^"\\]+)/.exec(JSON.stringify(request.messages)) ?? [];
      const turn = callsTool(...agent.read(file)).response;
      return typeof turn === 'function' ? turn(request) : turn;
    },
  };
}

interface Bench {
  readonly workplace: string;
  readonly models: MockModels;
  run(dot: string): ReturnType<typeof runOnDisk>;
}

async function benchFor(
  agent: RealAgent,
  turns: (workplace: string) => readonly MockTurn[],
  more: { readonly permissions?: 'deny' } = {},
): Promise<Bench> {
  const place = temporaryDirectory();
  const [workplace, home] = [path.join(place, 'workplace'), path.join(place, 'home')];
  for (const directory of [workplace, home]) mkdirSync(directory);
  const models = await mockModels(turns(workplace));
  const env = { ...(await agent.prepare(models.url, home)), HOME: home };
  const backend = await acpBackend.create({
    workingDirectory: workplace,
    settings: { ...noBackendSettings, agents: new Map([[agent.name, { env, ...patience, ...more }]]) },
    variables: { PATH: agentPath },
  });
  const run = async (dot: string) => {
    const played = await runOnDisk(
      dot.replace('node [', `node [llm_provider="${agent.name}", llm_model="${agent.model}", `),
      { backend, workingDirectory: workplace, clock: virtualClock() },
    );
    // What was killed takes a moment to be gone.
    const left = () => processesWith(place);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    return played;
  };
  return { workplace, models, run };
}

for (const agent of agents) {
  const reason = whyNotStartable(agent.program);
  const because = reason === undefined ? '' : ` (skipped: ${reason})`;
  describe.skipIf(reason !== undefined)(`${agent.name} over the Agent Client Protocol${because}`, () => {
    test('writes a file, and goes where its verdict says', async () => {
      const verdict = { outcome: 'success', preferred_label: 'Ship', notes: 'written' };
      const { run, workplace } = await benchFor(agent, (place) => [
        callsTool(...agent.write(place)),
        callsTool('report_outcome', verdict),
        says('All done.', { usage }),
      ]);
      const { result, events, directory } = await run(
        pipeline(
          'work [prompt="Write hello.txt"]',
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
    });

    test('may correct its verdict, under "deny" too', async () => {
      const { run } = await benchFor(
        agent,
        () => [
          callsTool('report_outcome', { outcome: 'splendid' }),
          callsTool('report_outcome', { outcome: 'fail', failure_reason: 'nothing to do' }),
          says('I give up.', { usage }),
        ],
        { permissions: 'deny' },
      );
      const { result } = await run(pipeline('start -> work -> exit'));
      expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
      expect(result.failure_reason).toContain('nothing to do');
    });

    test('103, 104: reads a value that is too long for its prompt, and corrects the values that it sets', async () => {
      const values = (count: unknown) => ({ outcome: 'success', context_updates: { count } });
      const { run, models } = await benchFor(agent, () => [
        readsValue(agent),
        callsTool('report_outcome', values('many')),
        callsTool('report_outcome', values(30_000)),
        says('Counted.', { usage }),
      ]);
      const { result } = await run(
        pipeline(
          'list [shape=parallelogram, prompt="", tool_command="seq -f \'finding %g\' 0 29999"]',
          'work [prompt="Count ${stages.list.output}", writes="count: integer"]',
          'start -> list -> work -> exit',
        ),
      );
      expect(result.failure_reason).toBeUndefined();
      expect(result.context.count).toBe(30_000);
      const asked = models.requests().map(({ body }) => JSON.stringify(body));
      expect(asked[0]).toMatch(/\$\{stages\.list\.output\} is too long for this prompt/);
      expect(asked[0]).not.toMatch(someFinding);
      expect(asked[1]).toMatch(someFinding);
      // Gemini CLI checks the schema itself.
      expect(asked.at(-1)).toMatch(/count: expected an integer, found|count must be integer/);
    });

    test('continues with its conversation in another process', async () => {
      const { run, models } = await benchFor(agent, () => [
        says('Seven it is.', { usage }),
        says('Still seven.', { usage }),
      ]);
      const thread = 'fidelity=full, thread_id=talk';
      const { result, events, directory } = await run(
        pipeline(
          `a [prompt="Remember the number 7", ${thread}]`,
          `b [prompt="Which number was it?", ${thread}]`,
          'start -> a -> b -> exit',
        ),
      );
      expect(result.status, result.failure_reason).toBe('success');
      expect(eventsOf(events, 'SessionStarted')[0]).toMatchObject({ backend: `acp:${agent.name}` });
      const asked = models.requests().map(({ body }) => JSON.stringify(body));
      expect(asked.find((body) => body.includes('Which number was it?'))).toContain('Seven it is.');
      expect(readFileSync(path.join(directory, 'b/response.md'), 'utf8')).toBe('Still seven.');
    });

    test('fails where its key is refused', async () => {
      const { run } = await benchFor(agent, () => Array.from({ length: 20 }, () => refuses(401)));
      const { result, events } = await run(pipeline('work [max_retries=2]', 'start -> work -> exit'));
      expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
      expect(eventsOf(events, 'StageRetrying')).toEqual([]);
    });
  });
}
