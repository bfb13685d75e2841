import { describe, expect, test } from 'vitest';
import type { BackendDefinition } from '../../src/backends/backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import type { BackendSettings } from '../../src/backends/settings.js';
import { backendSummary } from '../../src/cli/backend-summary.js';
import { compile } from '../../src/compiler/compile.js';
import type { ChosenExtensions } from '../../src/plugins/load-extensions.js';
import { type BackendPlan, isWithoutModel, planBackend } from '../../src/setup/backend-plan.js';
import { simulationNotes } from '../../src/setup/simulation-notes.js';
import { pipeline } from '../run/harness.js';

const key = 'sk-test-0123456789';

interface Given {
  readonly dot?: string;
  readonly backend?: string;
  readonly settings?: Partial<BackendSettings>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly pretended?: readonly string[];
}

const dot = pipeline(
  'plan [llm_model="claude-sonnet-4-5"]; build [llm_model="gpt-5.2"]; check',
  'start -> plan -> build -> check -> exit',
);

async function planned({ dot: text = dot, backend, settings, variables = {}, pretended = [] }: Given) {
  const { program } = compile(text);
  if (program === undefined) throw new Error('the pipeline is invalid');
  const extensions: ChosenExtensions = {
    ...{ handlers: [], transforms: [], rules: [], notices: [], interviewers: new Map(), record: undefined },
    backends: new Map([['mine', { name: 'mine', create: () => Promise.reject(new Error('not made')) }]]),
    ruleSettings: new Map(),
    settings: { ...noBackendSettings, ...settings },
    ...(backend !== undefined && { backend }),
  };
  const isPretended = ({ id }: { readonly id: string }): boolean => pretended.includes(id);
  const plan = await planBackend({ program, extensions, workingDirectory: '/', variables, isPretended });
  const run = { program, extensions, plan, isPretended };
  return {
    plan,
    summary: backendSummary(run),
    notes: simulationNotes({ ...run, script: undefined, simulate: false, seed: undefined }),
    simulated: [...program.nodes.values()]
      .filter(({ id, handler }) => handler.llm && isWithoutModel(plan, id))
      .map(({ id }) => id),
  };
}

const nothing = 'no model backend is configured: LLM stages are simulated, no model is called';

describe('who does the work of LLM stages', () => {
  test.each<{ readonly name: string; readonly given: Given; readonly is: object }>([
    {
      name: 'nobody, without a key',
      given: {},
      is: {
        plan: { kind: 'none' },
        summary: undefined,
        simulated: ['plan', 'build', 'check'],
        notes: [
          `${nothing} (plan, build, check); ANTHROPIC_API_KEY is not set, OPENAI_API_KEY is not set; --backend chooses one: mine`,
        ],
      },
    },
    {
      name: 'a provider for those whose key is there; the others are simulated, and why',
      given: { variables: { ANTHROPIC_API_KEY: key } },
      is: {
        plan: { kind: 'auto', withoutBackend: 'simulate' },
        summary: expect.stringMatching(/claude-sonnet-4-5 for plan$/),
        simulated: ['build', 'check'],
        notes: [
          expect.stringMatching(
            /^no model is called for build, which are simulated: OPENAI_API_KEY is not set/,
          ),
          'no model is called for check, which are simulated: no model is named',
        ],
      },
    },
    {
      name: 'a model for those that name none',
      given: { variables: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key }, settings: { model: 'gpt-5.2' } },
      is: { simulated: [], notes: [], summary: expect.stringMatching(/gpt-5\.2 for build, check$/) },
    },
    {
      name: 'whoever a model is asked of by name, which then fails',
      given: { settings: { model: 'gpt-5.2' } },
      is: { plan: { kind: 'auto', withoutBackend: 'fail' }, simulated: [], notes: [] },
    },
    {
      name: 'all or nothing, where it is asked for by name',
      given: { backend: 'auto', variables: { ANTHROPIC_API_KEY: key } },
      is: { plan: { kind: 'auto', withoutBackend: 'fail' }, simulated: [], notes: [] },
    },
    {
      name: 'one of ours for all',
      given: { backend: 'ai' },
      is: { plan: { kind: 'one', definition: { name: 'ai' } }, simulated: [], notes: [] },
    },
    {
      name: 'a plugin',
      given: { backend: 'mine' },
      is: { plan: { kind: 'plugin', name: 'mine' }, simulated: [], summary: undefined, notes: [] },
    },
    {
      name: 'nobody, because nobody is wanted',
      given: { backend: 'simulate', variables: { ANTHROPIC_API_KEY: key } },
      is: { plan: { kind: 'none' }, notes: [] },
    },
    {
      name: 'nobody, because all of them pretend',
      given: { variables: { ANTHROPIC_API_KEY: key }, pretended: ['plan', 'build', 'check'] },
      is: { plan: { kind: 'none' } },
    },
    {
      name: 'nobody, because none of them asks a model',
      given: {
        backend: 'ai',
        dot: pipeline('t [shape=parallelogram, tool_command="true"]; start -> t -> exit'),
      },
      is: { plan: { kind: 'none' }, notes: [] },
    },
    {
      name: 'whoever the stages of another pipeline ask for, where there is a key',
      given: {
        dot: pipeline('c [type=pipeline, "pipeline.file"="c.dot"]; start -> c -> exit'),
        variables: { ANTHROPIC_API_KEY: key },
      },
      is: { plan: { kind: 'auto', withoutBackend: 'simulate' }, notes: [] },
    },
  ])('$name', async ({ given, is }) => {
    expect(await planned(given)).toMatchObject(is);
  });

  test.each(['ehco', 'constructor'])('but not one that there is not: %s', async (backend) => {
    await expect(planned({ backend })).rejects.toThrow(
      /^there is no backend ".*"\. There are: auto, .*simulate, mine; plugins bring others$/,
    );
  });
});

test('a summary says whose agent does the work', () => {
  const { program } = compile(pipeline('a [llm_provider="claude"]; start -> a -> exit'));
  if (program === undefined) throw new Error('the pipeline is invalid');
  const definition = { name: 'acp' } as BackendDefinition;
  const model = { provider: 'claude', model: undefined, reasoningEffort: 'high' };
  const plan = {
    kind: 'auto',
    choices: new Map([['a', { kind: 'backend', definition, model }]]),
    withoutBackend: 'fail',
  } as unknown as BackendPlan;
  const extensions = { handlers: [] } as unknown as ChosenExtensions;
  expect(backendSummary({ plan, program, extensions, isPretended: () => false })).toBe('claude (acp) for a');
});
