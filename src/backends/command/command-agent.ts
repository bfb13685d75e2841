import type { VerdictServer } from '../verdict-server/start-verdict-channel.js';
import type { OutputFormat } from './agent-fact.js';

/** Coding agent that is called by a command line, described as data. */
export interface CommandAgent {
  /** Name in `llm_provider`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Name for people. */
  readonly title: string;
  /** The program and its arguments, with placeholders (`{model}`, …), for a new conversation. */
  readonly command: readonly string[];
  /** Command for a conversation that continues, with `{session}`; without it, each stage begins a new one. */
  readonly resume?: readonly string[];
  readonly prompt: PromptDelivery;
  readonly output: OutputFormat;
  /** Variables of the configuration, which override inherited ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Default variables, unless the configuration or the environment sets them. */
  readonly defaultEnv?: Readonly<Record<string, string>>;
  /** Command that installs it. */
  readonly install: string;
  /** Provider of its models; `models` matches their names. */
  readonly provider?: string;
  readonly models?: RegExp;
  /** Wires an MCP server for a single call, if the agent can. */
  readonly verdict?: (server: VerdictServer, inherited: Inherited) => VerdictWiring;
  /** Pattern of its message for a missing conversation. */
  readonly sessionGone?: RegExp;
  /** True if its exit status says nothing once it has reported its end. */
  readonly hasLyingStatus?: boolean;
}

/** Way in which a prompt reaches the program: on its standard input, as a file, or as an argument. */
export type PromptDelivery = 'stdin' | 'file' | 'argument';

type Inherited = Readonly<Record<string, string | undefined>>;

/** Additions to a call that give the agent the tool `report_outcome`. */
export interface VerdictWiring {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
