import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClosableBackend } from '../../../../src/backends/backend.js';
import { commandBackend } from '../../../../src/backends/command/command-backend.js';
import { noBackendSettings } from '../../../../src/backends/no-settings.js';
import type { AgentSettings } from '../../../../src/backends/settings.js';
import type { OtherSide, Scene, Turn } from '../../../backends/other-side.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** The programs that the fake one can speak like, and the names under which it is called then. */
export const dialects = { claude: 'claude', codex: 'codex', pi: 'pi', text: 'mine' } as const;

export type Dialect = keyof typeof dialects;

/** A scene of this program alone: it prints what it is told to, and ends with a status. */
export interface Prints {
  readonly kind: 'prints';
  readonly output: string;
  readonly errors?: string;
  readonly status?: number;
}

/** What the fake program was called with. */
export interface FakeTurn extends Turn {
  readonly args: readonly string[];
  readonly cwd: string;
}

const program = path.join(import.meta.dirname, '../../../support/fake-agent.mjs');

/** Settings with which the requests of the program pass through the gateway to a server, and the key for it. */
export function meteredBy(url: string): Partial<AgentSettings> {
  const gateway = { provider: 'anthropic', base_url_env: 'FAKE_AGENT_URL', key_env: 'FAKE_AGENT_KEY' };
  return { env: { FAKE_AGENT_URL: url, FAKE_AGENT_KEY: 'key-of-the-provider' }, gateway };
}

/** The fake agent program (test/support/fake-agent.mjs), as a stage calls it. */
export class FakeSide implements OtherSide {
  readonly home = temporaryDirectory();
  readonly #dialect: Dialect;
  readonly #settings: Partial<AgentSettings>;

  constructor(dialect: Dialect, scenes: readonly (Scene | Prints)[], settings: Partial<AgentSettings> = {}) {
    this.#dialect = dialect;
    this.#settings = settings;
    writeFileSync(path.join(this.home, 'scenes.json'), JSON.stringify(scenes));
  }

  backend(): Promise<ClosableBackend> {
    const agents = new Map([[dialects[this.#dialect], this.#agent()]]);
    return commandBackend.create({
      workingDirectory: this.home,
      // What the gateway repeats is not the matter of the contract.
      settings: { ...noBackendSettings, agents, ai: { request_retries: 0 } },
      variables: process.env,
    });
  }

  turns(): readonly FakeTurn[] {
    return this.#lines('turns.jsonl');
  }

  heard(): readonly string[] {
    return this.#lines('heard.jsonl');
  }

  refusals(): readonly string[] {
    return this.#lines('refusals.jsonl');
  }

  isHanging(): boolean {
    const file = path.join(this.home, 'hanging');
    return existsSync(file) && this.pids().includes(Number(readFileSync(file, 'utf8')));
  }

  isAtWork(): boolean {
    return this.pids().length > 0;
  }

  /** What is left of its processes, and of those that they have started. */
  pids(): readonly number[] {
    const groups = readdirSync(this.home)
      .filter((name) => name.startsWith('running-'))
      .map((name) => Number(name.slice('running-'.length)));
    return processes()
      .filter(({ group }) => groups.includes(group))
      .map(({ pid }) => pid);
  }

  /** From now on, it takes no notice of SIGTERM. */
  turnDeaf(): void {
    writeFileSync(path.join(this.home, 'deaf'), '');
  }

  #agent(): AgentSettings {
    const isText = this.#dialect === 'text';
    const call = [process.execPath, program, this.#dialect];
    const command = isText ? [...call, '--prompt-file', '{prompt_file}'] : [...call, '--model', '{model}'];
    return {
      command,
      ...(!isText && { resume: [...command, '--resume', '{session}'] }),
      ...this.#settings,
      env: { FAKE_AGENT_HOME: this.home, ...this.#settings.env },
    };
  }

  #lines<Line>(name: string): readonly Line[] {
    const file = path.join(this.home, name);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
}
