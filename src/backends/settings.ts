/** Provider of models: its kind, its address, and the variable that holds its key. */
export interface ProviderSettings {
  readonly kind?: 'anthropic' | 'openai' | 'google' | 'openai-compatible';
  readonly base_url?: string;
  /** Name of a variable, never the key itself. */
  readonly api_key_env?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Server of the Model Context Protocol: a program, or an address. */
export interface McpServerSettings {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Coding agent: a program that speaks the Agent Client Protocol, or a command line. */
export interface AgentSettings {
  readonly protocol?: 'acp' | 'command';
  readonly command?: readonly string[];
  /** Command line for a conversation that continues, whose id is `{session}`. */
  readonly resume?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Way in which the prompt reaches a command line: on its standard input, as a file, or as an argument. */
  readonly prompt?: 'stdin' | 'file' | 'argument';
  /** Format of its output, one of the known ones. */
  readonly output?: string;
  /** Policy for its requests for permission; `allow` by default, within the working directory. */
  readonly permissions?: 'allow' | 'ask' | 'deny';
  /** Seconds of silence; `wall_timeout` limits the whole time, in seconds too. */
  readonly idle_timeout?: number;
  readonly wall_timeout?: number;
  /** False if its requests do not pass through the gateway; the variables of an agent that is not known. */
  readonly gateway?: boolean | GatewaySettings;
}

/** Variables by which an agent is pointed at the gateway. */
export interface GatewaySettings {
  /** Provider under whose name its models are priced. */
  readonly provider: string;
  /** Variable by which it learns the address of its server. */
  readonly base_url_env: string;
  /** Variable with its key. */
  readonly key_env: string;
  /** Address of the server, unless the variable has it. */
  readonly base_url?: string;
}

/** Settings of the `ai` backend. */
export interface AiSettings {
  /** Maximum of requests of a stage before it fails; 100 by default. */
  readonly max_requests?: number;
  /** Number of times that a request is repeated before the stage fails; 5 by default. */
  readonly request_retries?: number;
  /** Seconds of silence of a server after which a request has failed; 600 by default. */
  readonly idle_timeout?: number;
  /** Maximum of tokens of an answer; the provider's default if undefined. */
  readonly max_output_tokens?: number;
  /** Timeout of a model's command in seconds, if the model gives none; 120 by default. */
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
  /** Default for stages that name neither. */
  readonly provider?: string;
  readonly model?: string;
  /** File with keys, instead of the default one; relative to the configuration file. */
  readonly keys_file?: string;
  readonly ai?: AiSettings;
}

/** Settings of the built-in backends; names chosen by the user are keys of maps. */
export interface BackendSettings extends PlainSettings {
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly mcp_servers: ReadonlyMap<string, McpServerSettings>;
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly prices: ReadonlyMap<string, PriceSettings>;
}

/** The same settings in the format of a configuration file. */
export interface BackendSettingsInput extends PlainSettings {
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly mcp_servers?: Readonly<Record<string, McpServerSettings>>;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly prices?: Readonly<Record<string, PriceSettings>>;
}
