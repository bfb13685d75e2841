import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { acpBackend } from '../../../src/backends/acp/acp-backend.js';
import { acpChooser } from '../../../src/backends/acp/acp-chooser.js';
import type { BackendEnvironment } from '../../../src/backends/backend.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import type { AgentSettings } from '../../../src/backends/settings.js';
import { testEach } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** A project, in whose subdirectory a run is started, and a search path with programs of its own. */
function surroundings(
  installed: { readonly project?: readonly string[]; readonly path?: readonly string[] },
  agents: Readonly<Record<string, AgentSettings>> = {},
): BackendEnvironment {
  const place = temporaryDirectory();
  const directory = path.join(place, 'project/sub');
  const [binaries, searched] = [path.join(place, 'project/node_modules/.bin'), path.join(place, 'bin')];
  for (const one of [directory, binaries, searched]) mkdirSync(one, { recursive: true });
  for (const name of installed.project ?? []) program(path.join(binaries, name));
  for (const name of installed.path ?? []) program(path.join(searched, name));
  const settings = { ...noBackendSettings, agents: new Map(Object.entries(agents)) };
  return { settings, workingDirectory: directory, variables: { PATH: searched } };
}

function program(file: string): void {
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
}

interface Row {
  readonly name: string;
  readonly provider?: string;
  readonly model?: string;
  readonly installed?: Parameters<typeof surroundings>[0];
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** The agent, or what is said in place of one. */
  readonly expected: string | RegExp;
}

const everything = ['claude-agent-acp', 'codex-acp', 'gemini', 'opencode'];

const rows: readonly Row[] = [
  { name: 'by its name', provider: 'codex', installed: { path: everything }, expected: 'codex' },
  { name: 'by its other name', provider: 'claude', installed: { path: everything }, expected: 'claude-code' },
  {
    name: 'by the provider whose models it has',
    provider: 'openai',
    installed: { path: everything },
    expected: 'codex',
  },
  {
    name: 'by the name of the model',
    model: 'gemini-2.5-pro',
    installed: { path: everything },
    expected: 'gemini-cli',
  },
  { name: 'the one that is there', installed: { path: ['opencode'] }, expected: 'opencode' },
  {
    name: 'one of the configuration',
    provider: 'mine',
    installed: { path: ['mine-acp'] },
    agents: { mine: { protocol: 'acp', command: ['mine-acp', '--stdio'] } },
    expected: 'mine',
  },
  {
    name: 'one of the configuration whose program is not there',
    provider: 'mine',
    agents: { mine: { protocol: 'acp', command: ['mine-acp'] } },
    expected: /mine is not installed: there is no program "mine-acp"; correct its `command`/,
  },
  {
    name: 'one of the configuration without a command',
    provider: 'mine',
    agents: { mine: { protocol: 'acp' } },
    expected: /the agent "mine" needs a `command`/,
  },
  {
    name: 'one that has a command line instead',
    provider: 'codex',
    installed: { path: everything },
    agents: { codex: { protocol: 'command' } },
    expected: /an agent with a command line/,
  },
  {
    name: 'one that is not installed, with what to do',
    provider: 'claude-code',
    expected: /Claude Code is not installed: .*npm install -g @agentclientprotocol\/claude-agent-acp/,
  },
  {
    name: 'one that is misspelt',
    provider: 'opncode',
    expected: /there is no agent "opncode".*opencode/,
  },
  { name: 'none at all', expected: /no coding agent is installed/ },
];

testEach(rows, ({ provider, model, installed = {}, agents, expected }) => {
  const asked = { provider, model, reasoningEffort: 'high' };
  const choice = acpChooser.agentFor(asked, surroundings(installed, agents));
  if (typeof expected === 'string') {
    expect(choice).toMatchObject({ kind: 'agent', chosen: { agent: { name: expected } } });
  } else {
    expect(choice).toMatchObject({ problem: expect.stringMatching(expected) });
  }
});

test('what the project has installed comes before what the machine has', () => {
  const place = surroundings({ project: ['gemini'], path: ['gemini'] });
  const choice = acpChooser.agentNamed('gemini-cli', place);
  expect(choice.kind === 'agent' && choice.chosen.program).toContain(path.join('project', 'node_modules'));
});

test('a file that is not a program does not count', () => {
  const place = surroundings({});
  writeFileSync(path.join(place.variables.PATH ?? '', 'gemini'), 'text');
  expect(acpChooser.agentNamed('gemini-cli', place)).toMatchObject({ kind: 'missing' });
});

test('the backend takes what names an agent, says what is lacking, and leaves the rest to others', () => {
  const environment = surroundings({ path: ['gemini'] });
  const accepted = (provider: string | undefined) =>
    acpBackend.accepts({ provider, model: undefined, reasoningEffort: 'high' }, environment);
  expect(accepted('gemini-cli')).toEqual({ kind: 'ready' });
  expect(accepted('codex')).toMatchObject({ kind: 'lacks', problem: expect.stringContaining('codex-acp') });
  expect(accepted('anthropic')).toBeUndefined();
  expect(accepted(undefined)).toBeUndefined();
});
