import type { VerdictServer } from '../verdict-server/start-verdict-channel.js';
import type { OutputFormat } from './agent-fact.js';

/** A coding agent that is called by a command line: all that has to be known of it, as data. */
export interface CommandAgent {
  /** As `llm_provider` names it. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** For people. */
  readonly title: string;
  /** The program and its arguments, with placeholders (`{model}`, …), for a new conversation. */
  readonly command: readonly string[];
  /** The same for a conversation that continues, with `{session}`; without it, each stage begins a new one. */
  readonly resume?: readonly string[];
  readonly prompt: PromptWay;
  readonly output: OutputFormat;
  /** Variables of the configuration, which win over those that are there. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that it has where neither the configuration nor the environment sets them. */
  readonly defaultEnv?: Readonly<Record<string, string>>;
  /** How it is installed, to be typed. */
  readonly install: string;
  /** The provider of models that it works with, and how their names begin. */
  readonly provider?: string;
  readonly models?: RegExp;
  /** How it is given an MCP server, where it takes one for a single call. */
  readonly verdict?: (server: VerdictServer, inherited: Inherited) => VerdictWiring;
  /** What it says where there is no conversation of that id. */
  readonly sessionGone?: RegExp;
  /** Its exit status says nothing, once it has told that it has finished. */
  readonly hasLyingStatus?: boolean;
}

/** How a prompt reaches the program: on its standard input, as a file, or as an argument. */
export type PromptWay = 'stdin' | 'file' | 'argument';

type Inherited = Readonly<Record<string, string | undefined>>;

/** What is added to a call, so that the agent has the tool `report_outcome`. */
export interface VerdictWiring {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
