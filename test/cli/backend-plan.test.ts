import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BackendDefinition } from '../../src/backends/backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import type { BackendSettings } from '../../src/backends/settings.js';
import { backendSummary } from '../../src/cli/backend-summary.js';
import { compile } from '../../src/compiler/compile.js';
import type { ChosenExtensions } from '../../src/plugins/load-extensions.js';
import { emptyScript } from '../../src/run-directory/simulation-script.js';
import type { BackendPlan } from '../../src/setup/backend-plan.js';
import { compileOptionsOf } from '../../src/setup/extensions.js';
import { describeFinding } from '../../src/setup/preflight/finding.js';
import { preflight } from '../../src/setup/preflight/preflight.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const key = 'sk-test-0123456789';

interface Given {
  readonly dot?: string;
  readonly backend?: string;
  readonly settings?: Partial<BackendSettings>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly simulate?: boolean;
  readonly scripted?: readonly string[];
  /** Types that a plugin brings. */
  readonly types?: readonly string[];
  /** Files next to the pipeline. */
  readonly files?: Readonly<Record<string, string>>;
}

const dot = pipeline(
  'plan [llm_model="claude-sonnet-4-5"]; build [llm_model="gpt-5.2"]; check',
  'start -> plan -> build -> check -> exit',
);

async function planned({
  dot: text = dot,
  backend,
  settings,
  variables = {},
  simulate = false,
  scripted = [],
  types = [],
  files = {},
}: Given) {
  const handler = { execute: () => ({ status: 'success' }) as const };
  const extensions: ChosenExtensions = {
    handlers: types.map((type) => ({ type, handler })),
    transforms: [],
    rules: [],
    notices: [],
    interviewers: new Map(),
    record: undefined,
    backends: new Map([['mine', { name: 'mine', create: () => Promise.reject(new Error('not made')) }]]),
    ruleSettings: new Map(),
    properties: [],
    settings: { ...noBackendSettings, ...settings },
    backend,
  };
  const { graph } = compile(text, compileOptionsOf(extensions));
  const childDirectory = temporaryDirectory();
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(childDirectory, name), content);
  const { plan, findings } = await preflight({
    graph,
    extensions,
    workingDirectory: '/',
    variables,
    simulate,
    script: { ...emptyScript, nodes: new Map(scripted.map((id) => [id, []])) },
    childDirectory,
    areFilesLinted: true,
  });
  const said = (severity: string) =>
    findings.filter((finding) => finding.severity === severity).map(describeFinding);
  return { plan, summary: backendSummary(plan), errors: said('error'), notes: said('info') };
}

const child = pipeline('c [type=pipeline, child="c.dot"]; start -> c -> exit');

describe('120, 121: who does the work of LLM stages', () => {
  test.each<{ readonly name: string; readonly given: Given; readonly is: object }>([
    {
      name: 'a provider for those that name it, and another for those that name none',
      given: { variables: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key }, settings: { model: 'gpt-5.2' } },
      is: { summary: expect.stringMatching(/claude-sonnet-4-5 for plan; .*gpt-5\.2 for build, check$/) },
    },
    {
      name: 'one of ours for all',
      given: {
        backend: 'ai',
        settings: { model: 'gpt-5.2' },
        variables: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key },
      },
      is: { plan: { kind: 'one', definition: { name: 'ai' } } },
    },
    {
      name: 'a plugin, which is asked for whatever it needs when it is made',
      given: { backend: 'mine' },
      is: { plan: { kind: 'plugin', name: 'mine' }, summary: undefined },
    },
    {
      name: 'nobody, where `--backend simulate` says so',
      given: { backend: 'simulate' },
      is: {
        plan: { kind: 'one', definition: { name: 'simulate' } },
        summary: 'simulated for plan, build, check',
      },
    },
    {
      name: 'nobody, where all stages are simulated',
      given: { simulate: true },
      is: { plan: { kind: 'none' } },
    },
    {
      name: 'a script',
      given: { scripted: ['plan', 'build', 'check'] },
      is: { plan: { kind: 'none' } },
    },
    {
      name: 'nobody, where the provider of the settings is `simulated`; a stage that names a model still needs that one',
      given: {
        settings: { provider: 'simulated' },
        variables: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key },
      },
      is: { summary: expect.stringMatching(/for plan; .* for build; simulated for check$/) },
    },
    {
      name: 'nobody, where a stage names the provider `simulated`, also under one backend for all',
      given: {
        backend: 'ai',
        dot: pipeline('a [llm_provider=simulated, llm_model="claude-sonnet-4-5"]; start -> a -> exit'),
      },
      is: { summary: 'simulated for a' },
    },
    {
      name: 'nobody, because none of them asks a model',
      given: {
        backend: 'ai',
        dot: pipeline('t [shape=parallelogram, tool_command="true"]; start -> t -> exit'),
      },
      is: { plan: { kind: 'none' } },
    },
    {
      name: 'whoever the stages of a pipeline ask for that is not written yet',
      given: { dot: child },
      is: { plan: { kind: 'auto' }, summary: undefined },
    },
    {
      name: 'whoever the stages of a pipeline ask for that a stage of a plugin runs',
      given: { dot: pipeline('p [type=delegate]; start -> p -> exit'), types: ['delegate'] },
      is: { plan: { kind: 'auto' } },
    },
    {
      name: 'the stages of a child pipeline too',
      given: {
        dot: child,
        files: { 'c.dot': pipeline('a [llm_model="gpt-5.2"]; start -> a -> exit') },
        variables: { OPENAI_API_KEY: key },
      },
      is: { summary: expect.stringMatching(/gpt-5\.2 for c\/a$/) },
    },
  ])('$name', async ({ given, is }) => {
    expect(await planned(given)).toMatchObject(is);
  });

  test.each<{ readonly name: string; readonly given: Given; readonly lines: readonly string[] }>([
    {
      name: 'without a key, and with no model named',
      given: { variables: { ANTHROPIC_API_KEY: key } },
      lines: ['OPENAI_API_KEY is not set (build)', 'no provider and no model is named (check)'],
    },
    {
      name: 'without the key of the model of the settings',
      given: { settings: { model: 'gpt-5.2' }, variables: { ANTHROPIC_API_KEY: key } },
      lines: ['OPENAI_API_KEY is not set (build, check)'],
    },
    {
      name: 'of a provider that there is not',
      given: { dot: pipeline('a [llm_provider=anthropc, llm_model=x]; start -> a -> exit') },
      lines: ['unknown provider "anthropc" (did you mean "anthropic"?) (a)'],
    },
    {
      name: 'with a model whose provider is not clear',
      given: { settings: { model: 'nonsense' }, dot: pipeline('a; start -> a -> exit') },
      lines: ['cannot tell which provider has the model "nonsense": name the provider too (a)'],
    },
    {
      name: 'whose agent is not installed',
      given: { dot: pipeline('a [llm_provider=codex]; start -> a -> exit') },
      lines: [
        'Codex is not installed: there is no program "codex-acp"; npm install -g @agentclientprotocol/codex-acp (a)',
      ],
    },
    {
      name: 'that no agent can do, under a backend of agents',
      given: { backend: 'command', dot: pipeline('a; start -> a -> exit') },
      lines: ['no coding agent is installed; there are claude-code, codex, gemini-cli, opencode, pi (a)'],
    },
    {
      name: 'of a child, and of its child',
      given: {
        dot: child,
        files: {
          'c.dot': pipeline(
            'a [llm_model="gpt-5.2"]; d [type=pipeline, child="d.dot"]; start -> a -> d -> exit',
          ),
          'd.dot': pipeline(
            'b [llm_model="gpt-5.2"]; c [type=pipeline, child="c.dot"]; start -> b -> c -> exit',
          ),
        },
      },
      lines: ['OPENAI_API_KEY is not set (c/a, c/d/b)'],
    },
    {
      name: 'that is to choose between branches by a prompt',
      given: {
        dot: pipeline(
          'fork [shape=component]; x [shape=parallelogram, tool_command="true"]; y [shape=parallelogram, tool_command="true"]; join [shape=tripleoctagon, prompt="Which one?"]',
          'start -> fork; fork -> x; fork -> y; x -> join; y -> join; join -> exit',
        ),
      },
      lines: ['no provider and no model is named (join)'],
    },
  ])('refuses a stage $name', async ({ given, lines }) => {
    const { errors } = await planned(given);
    expect(errors).toEqual(lines);
  });

  test.each(['ehco', 'constructor'])('but not one that there is not: %s', async (backend) => {
    await expect(planned({ backend })).rejects.toThrow(
      /^there is no backend ".*"\. Available: auto, .*simulate, mine; plugins can add others$/,
    );
  });
});

describe('an agent under a budget', () => {
  const one = (provider: string, attributes = '') =>
    pipeline(`a [llm_provider="${provider}"${attributes}]`, 'start -> a -> exit');
  const late = (agent: string, keys: string) =>
    `${agent} over the Agent Client Protocol reports its usage only when its turn ends, and is not metered (${keys} is not set): a budget cannot stop it before (a)`;

  test.each([
    { name: 'none', provider: 'claude-code', attributes: '', way: 'acp', notes: [] },
    {
      name: 'of the stage',
      provider: 'claude-code',
      attributes: ', budget_usd=1',
      way: 'command',
      notes: [],
    },
    {
      name: 'that no command line of the agent is there for',
      provider: 'claude-code',
      attributes: ', budget_tokens=1000',
      lacks: 'claude',
      way: 'acp',
      notes: [late('Claude Code', 'ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN')],
    },
    {
      name: 'that neither way can keep',
      provider: 'codex',
      attributes: ', budget_usd=1',
      way: 'acp',
      notes: [late('Codex', 'CODEX_API_KEY or OPENAI_API_KEY')],
    },
    {
      name: 'that the gateway keeps',
      provider: 'claude-code',
      attributes: ', budget_usd=1',
      keys: { ANTHROPIC_API_KEY: 'key' },
      way: 'acp',
      notes: [],
    },
  ])('$name', async ({ provider, attributes, lacks, keys, way, notes }) => {
    const programs = temporaryDirectory();
    for (const program of ['claude-agent-acp', 'claude', 'codex-acp', 'codex'])
      if (program !== lacks) writeFileSync(path.join(programs, program), '', { mode: 0o755 });
    const { plan, notes: said } = await planned({
      dot: one(provider, attributes),
      variables: { PATH: programs, ...keys },
    });
    expect(backendSummary(plan)).toContain(`(${way})`);
    expect(said).toEqual(notes);
  });
});

describe('130: an agent that is given a system prompt', () => {
  const gemini = 'so `system_prompt` begins the first prompt of its session (a)';
  test.each([
    { provider: 'claude-code', backend: 'acp', notes: [] },
    { provider: 'claude-code', backend: 'command', notes: [] },
    { provider: 'pi', backend: 'command', notes: [] },
    {
      provider: 'gemini-cli',
      backend: 'acp',
      notes: [`Gemini CLI over the Agent Client Protocol takes no system prompt, ${gemini}`],
    },
    {
      provider: 'gemini-cli',
      backend: 'command',
      notes: [`Gemini CLI takes no system prompt on its command line, ${gemini}`],
    },
    { provider: 'gemini-cli', backend: 'acp', text: ' ', notes: [] },
    {
      provider: 'mine',
      backend: 'command',
      command: ['gemini', '--system', '{system_prompt}', '{prompt}'],
      notes: [],
    },
  ])('$provider by the backend $backend: $notes', async ({ provider, backend, text, command, notes }) => {
    const programs = temporaryDirectory();
    for (const program of ['claude-agent-acp', 'claude', 'gemini', 'pi'])
      writeFileSync(path.join(programs, program), '', { mode: 0o755 });
    const { notes: said } = await planned({
      dot: pipeline(
        `graph [system_prompt="${text ?? 'Be brief.'}"]`,
        `a [llm_provider="${provider}"]`,
        'start -> a -> exit',
      ),
      backend,
      settings: { agents: new Map(command === undefined ? [] : [[provider, { command }]]) },
      variables: { PATH: programs },
    });
    expect(said).toEqual(notes);
  });
});

test('a summary says whose agent does the work', () => {
  const definition = { name: 'acp' } as BackendDefinition;
  const model = { provider: 'claude', model: undefined, reasoningEffort: 'high' };
  const plan = {
    kind: 'auto',
    stages: [{ id: 'a', asked: model }],
    choices: new Map([['a', { kind: 'backend', definition, model }]]),
  } as unknown as BackendPlan;
  expect(backendSummary(plan)).toBe('claude (acp) for a');
});
