import { z } from 'zod';
import { entriesOf } from '../engine/runtime/entries-of.js';

/** As long as a timer can be: one that is longer would be over at once. */
const seconds = z.number().positive().max(2_147_483);

/** A provider of models: which of the known kinds it is, where it is, and which variable holds its key. */
const provider = z.strictObject({
  kind: z.enum(['anthropic', 'openai', 'google', 'openai-compatible']).optional(),
  base_url: z.url().optional(),
  /** The name of a variable, never the key itself. */
  api_key_env: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** A server of the Model Context Protocol: a program, or an address. */
const mcpServer = z.strictObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.url().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** A coding agent: a program that speaks the Agent Client Protocol, or a command line. */
const agent = z.strictObject({
  protocol: z.enum(['acp', 'command']).optional(),
  command: z.array(z.string()).min(1).optional(),
  /** The same for a conversation that goes on, whose id is `{session}`; of a command line. */
  resume: z.array(z.string()).min(1).optional(),
  env: z.record(z.string(), z.string()).optional(),
  /** How the prompt reaches a command line: on its standard input, as a file, or as an argument. */
  prompt: z.enum(['stdin', 'file', 'argument']).optional(),
  /** Which of the known formats its output has. */
  output: z.string().optional(),
  /** What it may do that it asks permission for; `allow` by default, within the working directory. */
  permissions: z.enum(['allow', 'ask', 'deny']).optional(),
  idle_timeout: seconds.optional(),
  wall_timeout: seconds.optional(),
});

/** How the `ai` backend works. */
const ai = z.strictObject({
  /** How many requests a stage may make before it fails; 100 by default. */
  max_requests: z.int().positive().optional(),
  /** How many tokens one answer may have; what its provider says by default. */
  max_output_tokens: z.int().positive().optional(),
  /** Seconds that a command of a model may take where the model says nothing; 120 by default. */
  command_timeout: seconds.optional(),
});

/** US dollars for a million tokens. */
const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cached_input: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
});

/** The keys of the configuration file that backends read, by name; docs/extending.md has them in a table. */
export const backendSettingsShape = {
  /** For stages that name neither. */
  provider: z.string().optional(),
  model: z.string().optional(),
  providers: entriesOf(provider).default(new Map()),
  /** A file with keys, in place of the usual one; seen from the configuration file. */
  keys_file: z.string().min(1).optional(),
  mcp_servers: entriesOf(mcpServer).default(new Map()),
  agents: entriesOf(agent).default(new Map()),
  ai: ai.optional(),
  prices: entriesOf(price).default(new Map()),
} as const;

export const backendSettings = z.strictObject(backendSettingsShape);

/** The settings as they are written: objects where the read ones are maps. */
export interface BackendSettingsInput {
  readonly provider?: string;
  readonly model?: string;
  readonly keys_file?: string;
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly mcp_servers?: Readonly<Record<string, McpServerSettings>>;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly prices?: Readonly<Record<string, PriceSettings>>;
  readonly ai?: BackendSettings['ai'];
}

export type BackendSettings = z.output<typeof backendSettings>;
export type ProviderSettings = z.output<typeof provider>;
export type McpServerSettings = z.output<typeof mcpServer>;
export type AgentSettings = z.output<typeof agent>;
export type PriceSettings = z.output<typeof price>;
