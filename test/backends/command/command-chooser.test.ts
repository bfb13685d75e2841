import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BackendEnvironment } from '../../../src/backends/backend.js';
import { agentFailure } from '../../../src/backends/command/agent-failure.js';
import { commandAgents } from '../../../src/backends/command/agents.js';
import { commandBackend } from '../../../src/backends/command/command-backend.js';
import { commandChooser } from '../../../src/backends/command/command-chooser.js';
import { fillTemplate, unknownPlaceholder } from '../../../src/backends/command/command-template.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import type { AgentSettings } from '../../../src/backends/settings.js';
import { categoryOf } from '../../../src/handlers/error-category.js';
import { retryAfterMs } from '../../../src/handlers/retry-after.js';
import { testEach } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Where these programs are installed, and nothing else. */
function environment(
  programs: readonly string[],
  agents: Readonly<Record<string, AgentSettings>> = {},
): BackendEnvironment {
  const directory = temporaryDirectory();
  const binaries = path.join(directory, 'bin');
  mkdirSync(binaries);
  for (const name of programs) {
    writeFileSync(path.join(binaries, name), '#!/bin/sh\n');
    chmodSync(path.join(binaries, name), 0o755);
  }
  const settings = { ...noBackendSettings, agents: new Map(Object.entries(agents)) };
  return { workingDirectory: directory, settings, variables: { PATH: binaries } };
}

const asked = { provider: undefined, model: undefined, reasoningEffort: 'high' };

describe('which agent does a stage', () => {
  const mine: AgentSettings = { command: ['mine', '--model', '{model}'] };
  const acp: AgentSettings = { protocol: 'acp', command: ['claude-agent-acp'] };
  testEach(
    [
      { name: 'by its name', model: { provider: 'codex' }, expected: 'codex' },
      { name: 'by another name', model: { provider: 'claude' }, expected: 'claude-code' },
      { name: 'by the provider of its models', model: { provider: 'google' }, expected: 'gemini-cli' },
      { name: 'by the model', model: { model: 'claude-sonnet-4-5' }, expected: 'claude-code' },
      { name: 'one of the configuration', model: { provider: 'mine' }, expected: 'mine' },
      { name: 'that of the configuration before others', model: {}, expected: 'mine' },
      {
        name: 'one that speaks ACP',
        model: { provider: 'a' },
        expected: /agent of the Agent Client Protocol/,
      },
      {
        name: 'one that is not installed',
        model: { provider: 'pi' },
        expected: /npm install -g @mariozechner/,
      },
      { name: 'a misspelt one', model: { provider: 'codx' }, expected: /did you mean "codex"/i },
    ] as const,
    ({ model, expected }) => {
      const surroundings = environment(['claude', 'codex', 'gemini', 'mine'], { mine, a: acp });
      const choice = commandChooser.agentFor({ ...asked, ...model }, surroundings);
      if (typeof expected === 'string')
        expect(choice).toMatchObject({ chosen: { agent: { name: expected } } });
      else expect(choice).toMatchObject({ problem: expect.stringMatching(expected) });
    },
  );
});

describe('an agent of the configuration that cannot be called', () => {
  testEach(
    [
      {
        name: 'an unknown placeholder',
        agent: { command: ['x', '{promt}'] },
        expected: /no placeholder \{promt\}/,
      },
      { name: 'no command', agent: { env: {} }, expected: /needs a `command`/ },
      { name: 'an unknown format', agent: { command: ['x'], output: 'xml' }, expected: /no format "xml"/ },
      {
        name: 'a session at the start',
        agent: { command: ['x', '{session}'] },
        expected: /belongs in `resume`/,
      },
      {
        name: 'no session later',
        agent: { command: ['x'], resume: ['x'] },
        expected: /`resume` needs \{session\}/,
      },
      {
        name: 'a file that nothing reads',
        agent: { command: ['x'], prompt: 'file' },
        expected: /\{prompt_file\}/,
      },
    ] as const,
    async ({ agent, expected }) => {
      const problem = commandBackend.create(environment([], { x: agent as AgentSettings }));
      await expect(problem).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(expected),
      });
    },
  );
});

test('the command lines of the table have known placeholders only', () => {
  for (const { command, resume = [] } of commandAgents) {
    expect(unknownPlaceholder([...command, ...resume])).toBeUndefined();
  }
});

describe('a command line', () => {
  testEach(
    [
      { name: 'is filled', command: ['-m', '{model}', 'e={effort}'], expected: ['-m', 'opus', 'e=high'] },
      {
        name: 'leaves an option without a value out',
        command: ['a', '-s', '{session}', 'b'],
        expected: ['a', 'b'],
      },
      {
        name: 'leaves a value out that stands alone',
        command: ['-', '{session}', 'b'],
        expected: ['-', 'b'],
      },
      { name: 'does not fill what is filled in', command: ['{prompt}'], expected: ['say {model}'] },
    ],
    ({ command, expected }) => {
      const values = { model: 'opus', effort: 'high', prompt: 'say {model}' };
      expect(fillTemplate(command, values)).toEqual(expected);
    },
  );
});

describe('the failure of an agent', () => {
  testEach(
    [
      { name: 'unexpected status 401 Unauthorized: refused', category: 'terminal' },
      { name: 'exceeded retry limit, last status: 429 Too Many Requests', category: 'retryable' },
      { name: 'API Error: Request rejected (429) · refused', category: 'retryable' },
      { name: '[API Error: {"error":{"code":503,"status":"UNAVAILABLE"}}]', category: 'retryable' },
      { name: '500 refused', category: 'retryable' },
      { name: 'We’re experiencing high demand, which may cause temporary errors.', category: 'retryable' },
      { name: 'Invalid API key · Please run /login', category: 'terminal' },
      { name: 'stream disconnected before completion', category: 'retryable' },
      { name: 'I could not find 500 of the 401 files', category: undefined },
    ] as const,
    ({ name, category }) => {
      expect(categoryOf(agentFailure('It', { message: name }))).toBe(category);
    },
  );

  test('says how long to wait', () => {
    const failure = agentFailure('It', { message: 'Rate limit reached. Please try again in 7.5s.' });
    expect(retryAfterMs(failure)).toBe(7500);
    expect(retryAfterMs(agentFailure('It', { message: '429', retryAfter: '3' }))).toBe(3000);
  });
});

describe('129: an agent of an interactive stage', () => {
  test.each([
    ['codex', undefined],
    ['claude', undefined],
    ['pi', 'pi by its command line takes no tool with which it could ask a person'],
    ['gemini', 'Gemini CLI by its command line takes no tool with which it could ask a person'],
    ['unknown', undefined],
  ])('%s', (provider, expected) => {
    const place = environment(['codex', 'claude', 'pi', 'gemini']);
    expect(commandBackend.cannotAsk?.({ ...asked, provider }, place)).toBe(expected);
  });
});
