import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Severity } from '../../../src/diagnostic/diagnostic.js';
import { preflightChecks } from '../../../src/setup/preflight/checks/index.js';
import { pipeline } from '../../run/harness.js';
import { directoryWith } from '../../support/directory-with.js';
import { askFace, type Face, ofServer, type Project } from './faces.js';

/** Refuses every run, so that what does not refuse it is printed too. */
const refusing = 'graph [env_requires="NEVER_SET"]';

function of(...statements: readonly string[]): string {
  return pipeline(
    refusing,
    'first [shape=parallelogram, tool_command="true"]',
    'start -> first',
    ...statements,
  );
}

interface Case {
  readonly check: string;
  readonly project: Project;
  readonly found: {
    readonly severity: Severity;
    readonly stages: readonly string[];
    readonly message: RegExp;
  };
  /** By default all. */
  readonly faces?: readonly Face[] | undefined;
}

const child = (dot: string): Project => ({
  files: {
    'main.dot': of('sub [type=pipeline, child="child.dot"]', 'first -> sub -> exit'),
    'child.dot': dot,
  },
});
const asking = (attributes: string) => of(`a [${attributes}]`, 'first -> a -> exit');
const key = { ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef' };

const cases: readonly Case[] = [
  {
    check: 'input',
    project: {
      files: { 'main.dot': of('graph [inputs="version: string, level: low|high"]', 'first -> exit') },
      args: ['--set', 'level=middle'],
      body: { inputs: { level: 'middle' } },
    },
    found: { severity: 'error', stages: [], message: /^input "level": expected one of low, high/ },
    faces: ['run', 'serve', 'doctor'],
  },
  {
    check: 'environment',
    project: { files: { 'main.dot': of('first -> exit') } },
    found: {
      severity: 'error',
      stages: [],
      message: /^\$NEVER_SET, which `env_requires` names, is not set$/,
    },
  },
  {
    check: 'environment',
    project: child(pipeline('graph [env_requires="OF_CHILD"]', 'start -> exit')),
    found: { severity: 'error', stages: ['sub'], message: /^\$OF_CHILD, / },
  },
  {
    check: 'model',
    project: { files: { 'main.dot': asking('llm_model="claude-sonnet-4-5"') } },
    found: { severity: 'error', stages: ['a'], message: /^ANTHROPIC_API_KEY is not set$/ },
  },
  {
    check: 'model',
    project: { files: { 'main.dot': asking('llm_provider=anthropc, llm_model=x') } },
    found: {
      severity: 'error',
      stages: ['a'],
      message: /^unknown provider "anthropc" \(did you mean "anthropic"/,
    },
  },
  {
    check: 'model',
    project: { files: { 'main.dot': asking('llm_provider=codex') } },
    found: { severity: 'error', stages: ['a'], message: /^Codex is not installed/ },
  },
  {
    check: 'model',
    project: {
      files: {
        ...child(
          pipeline(
            'b [llm_model="gpt-5.2"]; deep [type=pipeline, child="deep.dot"]; start -> b -> deep -> exit',
          ),
        ).files,
        'deep.dot': pipeline('c [llm_model="gpt-5.2"]', 'start -> c -> exit'),
      },
    },
    found: { severity: 'error', stages: ['sub/b', 'sub/deep/c'], message: /^OPENAI_API_KEY is not set$/ },
  },
  {
    check: 'fallback',
    project: {
      files: {
        'main.dot': asking('llm_model="claude-sonnet-4-5", llm_fallback="openai/gpt-5.2, ollama/qwen3"'),
      },
      env: key,
    },
    found: {
      severity: 'warning',
      stages: ['a'],
      message: /^the fallback openai\/gpt-5\.2 cannot be used: OPENAI_API_KEY is not set$/,
    },
  },
  {
    check: 'mcp_server',
    project: {
      files: {
        'main.dot': asking('llm_model="claude-sonnet-4-5"'),
        'attractor.config.json': JSON.stringify({ mcp_servers: { issues: { command: 'issue-server' } } }),
      },
      env: key,
      args: ['--config', 'attractor.config.json'],
    },
    found: {
      severity: 'error',
      stages: ['a'],
      message: /^the MCP server "issues" cannot be started: .* "issue-server"$/,
    },
  },
  ...(
    [
      ['grep, read_fil', /^there is no tool "read_fil" \(did you mean "read_file"\?\)$/],
      ['issues_list, isues_list', /^there is no tool "isues_list"$/],
      ['grep, none', /^there is no tool "none"$/],
    ] as const
  ).map(
    ([tools, message]): Case => ({
      check: 'tool',
      project: {
        files: {
          'main.dot': asking(`llm_model="claude-sonnet-4-5", tools="${tools}"`),
          'attractor.config.json': JSON.stringify({ mcp_servers: { issues: { command: 'sh' } } }),
        },
        env: key,
        args: ['--config', 'attractor.config.json'],
      },
      found: { severity: 'error', stages: ['a'], message },
      faces: tools.includes('issues') ? ['run', 'resume', 'doctor'] : undefined,
    }),
  ),
  {
    check: 'unpriced_model',
    project: {
      files: {
        'main.dot': of('graph [budget_usd=1]', 'a [llm_model="claude-unheard-of"]', 'first -> a -> exit'),
      },
      env: key,
    },
    found: {
      severity: 'warning',
      stages: ['a'],
      message: /^no price is known for anthropic\/claude-unheard-of:/,
    },
  },
  {
    check: 'unpriced_model',
    project: {
      files: {
        'main.dot': of(
          'graph [budget_usd=1]',
          'a [llm_model="claude-sonnet-4-5", llm_fallback="anthropic/claude-unheard-of"]',
          'first -> a -> exit',
        ),
      },
      env: key,
    },
    found: {
      severity: 'warning',
      stages: ['a'],
      message: /^no price is known for anthropic\/claude-unheard-of:/,
    },
  },
  {
    check: 'program',
    project: {
      files: {
        'main.dot': of(
          't [shape=parallelogram, tool_command="frobnicate --all | sort"]',
          'first -> t -> exit',
        ),
      },
      env: { PATH: '/usr/bin:/bin' },
    },
    found: { severity: 'info', stages: ['t'], message: /^there is no program "frobnicate" in the PATH/ },
  },
  {
    check: 'program',
    project: {
      files: { 'main.dot': of('t [shape=parallelogram, tool_command="./deploy.sh"]', 'first -> t -> exit') },
    },
    found: { severity: 'info', stages: ['t'], message: /^there is no executable file "\.\/deploy\.sh"/ },
  },
  {
    check: 'child_file',
    project: { files: { 'main.dot': of('sub [type=pipeline, child="gone.dot"]', 'first -> sub -> exit') } },
    found: { severity: 'warning', stages: ['sub'], message: /^the pipeline "gone.dot" does not exist/ },
    faces: ['resume'],
  },
];

const faces: readonly Face[] = ['run', 'resume', 'serve', 'doctor'];

describe('121: every face finds', () => {
  test.each(cases.flatMap((one) => (one.faces ?? faces).map((face) => ({ ...one, face }))))(
    '$check on $face: $found.message',
    async ({ check, project, found, face }) => {
      const { findings, status, directory } = await askFace(face, project);
      const { message, ...rest } = found;
      const ofCheck = findings.filter((one) => one.check === check);
      expect(ofCheck).toContainEqual(
        expect.objectContaining({ ...rest, message: expect.stringMatching(message) }),
      );
      expect(status).toBe(face === 'serve' ? 400 : 2);
      expect(existsSync(path.join(directory, '.attractor', 'runs', 'manifest.json'))).toBe(false);
    },
  );

  test('with each of its checks', () => {
    const tried = new Set(cases.map(({ check }) => check));
    // An agent needs programs: `test/cli/backend-plan.test.ts` has the cases of one under a budget, or with a system prompt, and
    // `test/backends/command/command-chooser.test.ts` those of one that is to ask.
    expect(preflightChecks.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([
      'interactive',
      'system_prompt',
      'late_usage',
    ]);
  });
});

describe('121: lint and preflight together', () => {
  const wrong = of('a [llm_model="gpt-5.2"]', 'first -> a -> exit', 'a -> nowhere');

  test.each(['run', 'serve'] as const)(
    'a pipeline with an error of lint lacks a key, too: %s',
    async (face) => {
      const { status, findings, diagnostics } = await askFace(face, { files: { 'main.dot': wrong } });
      expect(status).toBe(face === 'run' ? 1 : 400);
      expect(findings.map(({ check }) => check)).toEqual(['environment', 'model']);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ rule: 'edge_target_exists', severity: 'error' }),
      );
    },
  );

  test('a simulation needs nothing but its inputs', async () => {
    const dot = of('graph [inputs="version: string"]', 'a [llm_model="gpt-5.2"]', 'first -> a -> exit');
    const { status, findings } = await askFace('run', { files: { 'main.dot': dot }, args: ['--simulate'] });
    expect({ status, checks: findings.map(({ check }) => check) }).toEqual({ status: 2, checks: ['input'] });
  });
});

test('121: a server that lets no pipeline run commands says nothing of its files', async () => {
  const files = {
    'main.dot': pipeline(
      'graph [env_requires="NEVER_SET"]',
      'sub [type=pipeline, child="child.dot"]',
      'start -> sub -> exit',
    ),
    'child.dot': pipeline('b [llm_model="gpt-5.2"]', 'start -> b -> exit'),
  };
  const { findings } = await ofServer(directoryWith(files), { files }, false);
  expect(findings.filter(({ check }) => check !== 'environment')).toEqual([]);
});

describe('121: resume looks at the stages that can still run', () => {
  const dot = pipeline(
    'early [llm_model="gpt-5.2"]',
    'first [shape=parallelogram, tool_command="true"]',
    'late [llm_model="claude-sonnet-4-5"]',
    'start -> early -> first -> late -> exit',
  );

  test.each([
    { name: 'not at one that is over', env: key, findings: [] },
    { name: 'at one that is to come', env: { OPENAI_API_KEY: key.ANTHROPIC_API_KEY }, findings: [['late']] },
  ])('$name', async ({ env, findings }) => {
    // With a backend that cannot be made the run does not begin, whatever the preflight says.
    const args = ['--answer', 'nobody=Y'];
    const asked = askFace('resume', { files: { 'main.dot': dot }, env, args });
    if (findings.length > 0) expect((await asked).findings.map(({ stages }) => stages)).toEqual(findings);
    else await expect(asked).rejects.toThrow(/nobody/);
  });
});

test('the documentation names every check', () => {
  const text = readFileSync('docs/running.md', 'utf8');
  for (const { id, summary } of preflightChecks) expect(text).toContain(`| \`${id}\` | ${summary} |`);
});
