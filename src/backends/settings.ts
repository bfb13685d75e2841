/** A provider of models: which of the known kinds it is, where it is, and which variable holds its key. */
export interface ProviderSettings {
  readonly kind?: 'anthropic' | 'openai' | 'google' | 'openai-compatible';
  readonly base_url?: string;
  /** The name of a variable, never the key itself. */
  readonly api_key_env?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server of the Model Context Protocol: a program, or an address. */
export interface McpServerSettings {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A coding agent: a program that speaks the Agent Client Protocol, or a command line. */
export interface AgentSettings {
  readonly protocol?: 'acp' | 'command';
  readonly command?: readonly string[];
  /** The same for a conversation that continues, whose id is `{session}`; of a command line. */
  readonly resume?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How the prompt reaches a command line: on its standard input, as a file, or as an argument. */
  readonly prompt?: 'stdin' | 'file' | 'argument';
  /** Which of the known formats its output has. */
  readonly output?: string;
  /** What it may do that it asks permission for; `allow` by default, within the working directory. */
  readonly permissions?: 'allow' | 'ask' | 'deny';
  /** Seconds, both. */
  readonly idle_timeout?: number;
  readonly wall_timeout?: number;
}

/** How the `ai` backend works. */
export interface AiSettings {
  /** How many requests a stage may make before it fails; 100 by default. */
  readonly max_requests?: number;
  /** How many tokens one answer may have; what its provider says by default. */
  readonly max_output_tokens?: number;
  /** Seconds that a command of a model may take where the model says nothing; 120 by default. */
  readonly command_timeout?: number;
}

/** US dollars for a million tokens. */
export interface PriceSettings {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
}

interface PlainSettings {
  /** For stages that name neither. */
  readonly provider?: string;
  readonly model?: string;
  /** A file with keys, in place of the usual one; seen from the configuration file. */
  readonly keys_file?: string;
  readonly ai?: AiSettings;
}

/** What the built-in backends are told; names that people chose are keys of maps. */
export interface BackendSettings extends PlainSettings {
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly mcp_servers: ReadonlyMap<string, McpServerSettings>;
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly prices: ReadonlyMap<string, PriceSettings>;
}

/** The same as it is written in a configuration file. */
export interface BackendSettingsInput extends PlainSettings {
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly mcp_servers?: Readonly<Record<string, McpServerSettings>>;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly prices?: Readonly<Record<string, PriceSettings>>;
}
