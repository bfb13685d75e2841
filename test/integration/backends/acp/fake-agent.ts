import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { acpBackend } from '../../../../src/backends/acp/acp-backend.js';
import type { ClosableBackend } from '../../../../src/backends/backend.js';
import { noBackendSettings } from '../../../../src/backends/no-settings.js';
import type { AgentSettings } from '../../../../src/backends/settings.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** What a fake agent does within a turn; test/support/fake-acp-agent.mjs performs it. */
export type Step =
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'update'; readonly update: object }
  | { readonly do: 'notify'; readonly method: string; readonly params: object }
  | { readonly do: 'write'; readonly name: string; readonly content: string }
  | { readonly do: 'status'; readonly content: string }
  | { readonly do: 'ask'; readonly toolCall: object; readonly options?: readonly object[] }
  | { readonly do: 'fs'; readonly method: string; readonly params: object }
  | { readonly do: 'ask_person'; readonly input: object }
  | { readonly do: 'verdicts'; readonly inputs: readonly unknown[] }
  | { readonly do: 'spawn' | 'hang' }
  | { readonly do: 'flood'; readonly count: number }
  | { readonly do: 'garbage'; readonly text: string }
  | { readonly do: 'die'; readonly code: number; readonly words?: string }
  | { readonly do: 'refuse'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly do: 'end'; readonly response: object };

/** What a fake agent is like. */
export interface AgentScript {
  /** One a prompt; the last one repeats. */
  readonly turns: readonly (readonly Step[])[];
  readonly version?: number;
  readonly abilities?: object;
  readonly authMethods?: readonly object[];
  readonly needsKey?: boolean;
  readonly options?: readonly object[];
  /** More of the answer to a session that begins. */
  readonly begun?: object;
  /** What it tells besides what was said, when a session is loaded. */
  readonly replays?: readonly object[];
  /** It has lost its sessions. */
  readonly forgets?: boolean;
  /** It does not mind SIGTERM. */
  readonly deaf?: boolean;
  /** What it prints on its standard output before anything else. */
  readonly banner?: string;
  readonly words?: string;
  readonly diesAtOnce?: number;
}

/** What a fake agent has noted. */
export type Noted = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface FakeAgent {
  readonly directory: string;
  readonly settings: AgentSettings;
  /** A new backend that knows the agent. */
  backend(): Promise<ClosableBackend>;
  /** What happened, of one kind, in order. */
  noted(kind: string): readonly Noted[];
  /** Those of its processes that live, and of those that they have started. */
  living(): readonly number[];
}

const program = path.join(import.meta.dirname, '../../../support/fake-acp-agent.mjs');

/**
 * Writes the script of an agent, which the backend starts as a program of its own.
 * @param name of a known agent, in whose place it stands
 */
export function fakeAgent(script: AgentScript, more: Partial<AgentSettings> = {}, name = 'fake'): FakeAgent {
  const directory = path.join(temporaryDirectory(), 'agent');
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'script.json'), JSON.stringify(script));
  const settings: AgentSettings = {
    protocol: 'acp',
    command: [process.execPath, program, directory],
    ...more,
  };
  const noted = (kind: string) => notesIn(directory).filter((note) => note.kind === kind);
  return {
    directory,
    settings,
    noted,
    backend: () =>
      acpBackend.create({
        workingDirectory: process.cwd(),
        settings: { ...noBackendSettings, agents: new Map([[name, settings]]) },
        variables: process.env,
      }),
    living() {
      const known = new Set([...noted('started'), ...noted('child')].map(({ pid }) => pid));
      return processes()
        .filter(({ pid, group }) => known.has(pid) || known.has(group))
        .map(({ pid }) => pid);
    },
  };
}

/** A line that is not whole yet is none. */
function notesIn(directory: string): readonly Noted[] {
  const file = path.join(directory, 'log.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
