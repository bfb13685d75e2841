import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { factFinders } from '../../../src/setup/machine/facts/index.js';
import { pipeline } from '../../run/harness.js';
import { directoryWith } from '../../support/directory-with.js';
import { mockModels } from '../../support/mock-models.js';
import { attractor, type Call } from '../attractor.js';

const secret = 'sk-ant-api03-0123456789abcdef';

async function doctor(words: readonly string[], call: Call) {
  const { status, stdout, stderr } = await attractor(['doctor', ...words, '--json'], call);
  if (stdout === '') throw new Error(stderr);
  return { status, report: JSON.parse(stdout) };
}

describe('121: the machine', () => {
  test('without a pipeline, everything that pipelines may need', async () => {
    const cwd = directoryWith({ 'attractor.config.json': '{}' });
    const { status, report } = await doctor([], { cwd, env: { ANTHROPIC_API_KEY: secret } });
    expect(status).toBe(0);
    expect(report.machine.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['node', 'ok'],
      ['tools', 'ok'],
      ['git', 'ok'],
      ['runs', 'ok'],
      ['configuration', 'ok'],
      ['key file', 'missing'],
    ]);
    expect(report.providers).toContainEqual({
      name: 'anthropic',
      state: 'ok',
      found: 'ANTHROPIC_API_KEY from the environment',
    });
    expect(report.providers).toContainEqual({
      name: 'openai',
      state: 'missing',
      found: 'OPENAI_API_KEY is not set',
    });
    expect(new Set(factFinders.map(({ group }) => group))).toEqual(new Set(Object.keys(report)));
    expect(JSON.stringify(report)).not.toContain(secret);
    expect(readdirSync(cwd)).toEqual(['attractor.config.json']);
  });

  test('the database of a cluster, if one is named', async () => {
    const cwd = directoryWith({});
    const { status, report } = await doctor([], {
      cwd,
      env: { ATTRACTOR_DATABASE_URL: 'postgresql://somebody:secret-word@127.0.0.1:1/attractor' },
    });
    expect(status).toBe(2);
    expect(report.cluster).toEqual([
      { name: 'database', state: 'problem', found: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(JSON.stringify(report)).not.toContain('secret-word');
  });

  test('a key of the key file', async () => {
    const cwd = directoryWith({ 'home/.config/attractor/keys.env': '' });
    const home = path.join(cwd, 'home');
    const { chmodSync, writeFileSync } = await import('node:fs');
    const file = path.join(home, '.config', 'attractor', 'keys.env');
    writeFileSync(file, `ANTHROPIC_API_KEY=${secret}\n`);
    chmodSync(file, 0o600);
    const { report } = await doctor([], { cwd, env: { HOME: home } });
    expect(report.providers[0].found).toBe('ANTHROPIC_API_KEY from the key file');
    expect(report.machine.at(-1)).toEqual({ name: 'key file', state: 'ok', found: `${file} (1 variable)` });
  });

  test('an agent with its version', async () => {
    const cwd = directoryWith({ 'bin/codex': '#!/bin/sh\necho codex-cli 9.9.9\n' });
    const { chmodSync } = await import('node:fs');
    chmodSync(path.join(cwd, 'bin', 'codex'), 0o755);
    const { report } = await doctor([], { cwd, env: { PATH: path.join(cwd, 'bin') } });
    const codex = report.agents.find(({ name }: { name: string }) => name === 'codex');
    expect(codex).toEqual({
      name: 'codex',
      state: 'ok',
      found: 'codex-cli 9.9.9 (command line, not metered: CODEX_API_KEY or OPENAI_API_KEY is not set)',
    });
  });

  test('for a person', async () => {
    const { stdout } = await attractor(['doctor'], { cwd: directoryWith({}) });
    expect(stdout).toMatch(/^This machine\n {2}✔ node {11}\d+\./);
    expect(stdout).toContain('\nProviders of models\n  – anthropic ');
    expect(stdout).toContain('\nCoding agents\n');
  });
});

const asking = pipeline('a [llm_model="claude-sonnet-4-5"]', 'start -> a -> exit');
const wrong = pipeline('a [llm_model="gpt-5.2"]', 'start -> a -> nowhere');
const requiring = pipeline('graph [inputs="version: string"]', 'start -> exit');

describe('121: a pipeline', () => {
  test.each([
    { name: 'that lacks nothing', dot: asking, env: { ANTHROPIC_API_KEY: secret }, status: 0, checks: [] },
    { name: 'that lacks a key', dot: asking, env: {}, status: 2, checks: ['model'] },
    { name: 'with an error of lint', dot: wrong, env: {}, status: 1, checks: ['model'] },
    { name: 'that a run will have to give an input', dot: requiring, env: {}, status: 0, checks: ['input'] },
  ])('$name: $status', async ({ dot, env, status, checks }) => {
    const cwd = directoryWith({ 'main.dot': dot });
    const { status: ended, report } = await doctor(['main.dot'], { cwd, env });
    expect(ended).toBe(status);
    expect(report.pipeline.file).toBe('main.dot');
    expect(report.pipeline.findings.map(({ check }: { check: string }) => check)).toEqual(checks);
    expect(readdirSync(cwd)).toEqual(['main.dot']);
  });

  test('the same text as a run that is refused, after the machine', async () => {
    const cwd = directoryWith({ 'main.dot': asking });
    const { stdout } = await attractor(['doctor', 'main.dot'], { cwd });
    const { stderr } = await attractor(['run', 'main.dot'], { cwd });
    const [, shown] = stdout.split('\nmain.dot\n');
    expect(`${shown?.trimEnd()}; nothing was started\n`).toBe(stderr);
  });
});

describe('121: --probe', () => {
  test('asks each model once', async () => {
    const models = await mockModels([{ response: { content: 'Yes' } }]);
    const dot = pipeline(
      'graph [llm_model="claude-sonnet-4-5"]',
      'a; b; c [llm_provider=simulated]',
      'start -> a -> b -> c -> exit',
    );
    const cwd = directoryWith({ 'main.dot': dot });
    const { status, report } = await doctor(['main.dot', '--probe'], { cwd, env: models.variables });
    expect(status).toBe(0);
    expect(report.probes).toMatchObject([{ model: 'anthropic/claude-sonnet-4-5', state: 'ok' }]);
    expect(models.requests()).toHaveLength(1);
  });

  test('a model that nobody knows', async () => {
    const models = await mockModels([]);
    const cwd = directoryWith({ 'main.dot': asking });
    const { stdout, status } = await attractor(['doctor', 'main.dot', '--probe'], {
      cwd,
      env: models.variables,
    });
    expect(status).toBe(2);
    expect(stdout).toMatch(/Requests to models\n {2}✖ anthropic\/claude-sonnet-4-5 {2}.*HTTP 404/);
  });

  test('nobody, where no model is called directly', async () => {
    const cwd = directoryWith({ 'main.dot': pipeline('a [llm_provider=simulated]', 'start -> a -> exit') });
    const { stdout, status } = await attractor(['doctor', 'main.dot', '--probe'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain('Requests to models\n  – none  no model with its key is called directly\n');
  });

  test('needs a model', async () => {
    const { status, stderr } = await attractor(['doctor', '--probe'], { cwd: directoryWith({}) });
    expect(status).toBe(2);
    expect(stderr).toContain('--probe has no model to ask: no model is named');
  });
});
