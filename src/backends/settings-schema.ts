import { z } from 'zod';
import { entriesOf } from '../handlers/entries-of.js';
import type {
  AgentSettings,
  AiSettings,
  BackendSettings,
  GatewaySettings,
  McpServerSettings,
  PriceSettings,
  ProviderSettings,
} from './settings.js';

/** Seconds, at most as many as a timer takes: a longer one would fire at once. */
const seconds = z.number().positive().max(2_147_483);

/** Place where people put a key, which belongs into the environment or the key file. The message never shows it. */
export const misplacedKey = z
  .custom<undefined>(() => false, {
    error:
      'a configuration holds no keys; write `api_key_env: NAME` for a provider, and set the variable NAME in the environment or the key file',
  })
  .optional();

const provider = z.strictObject({
  api_key: misplacedKey,
  kind: z.enum(['anthropic', 'openai', 'google', 'openai-compatible']).optional(),
  base_url: z.url().optional(),
  api_key_env: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
}) satisfies z.ZodType<ProviderSettings>;

const mcpServer = z.strictObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.url().optional(),
  headers: z.record(z.string(), z.string()).optional(),
}) satisfies z.ZodType<McpServerSettings>;

/** Settings that do not apply to agents of a protocol, each with the alternative. */
const uselessFor: Readonly<Record<'acp' | 'command', Partial<Record<keyof AgentSettings, string>>>> = {
  acp: {
    resume: 'the protocol itself says which conversation continues',
    prompt: 'the protocol itself carries the prompt',
    output: 'the protocol itself says what the agent does',
  },
  command: { permissions: 'give its program an option that says so in `command`' },
};

const gateway = z.strictObject({
  provider: z.string().min(1),
  base_url_env: z.string().min(1),
  key_env: z.string().min(1),
  base_url: z.url().optional(),
}) satisfies z.ZodType<GatewaySettings>;

const agent = z
  .strictObject({
    protocol: z.enum(['acp', 'command']).optional(),
    command: z.array(z.string()).min(1).optional(),
    resume: z.array(z.string()).min(1).optional(),
    env: z.record(z.string(), z.string()).optional(),
    prompt: z.enum(['stdin', 'file', 'argument']).optional(),
    output: z.string().optional(),
    permissions: z.enum(['allow', 'ask', 'deny']).optional(),
    idle_timeout: seconds.optional(),
    wall_timeout: seconds.optional(),
    gateway: z.union([z.boolean(), gateway]).optional(),
  })
  .superRefine((settings, context) => {
    const { protocol } = settings;
    for (const [key, instead] of protocol === undefined ? [] : Object.entries(uselessFor[protocol])) {
      if (settings[key as keyof AgentSettings] === undefined) continue;
      const message = `an agent with the protocol \`${protocol}\` has no \`${key}\`: ${instead}; leave it out`;
      context.addIssue({ code: 'custom', path: [key], message });
    }
  }) satisfies z.ZodType<AgentSettings>;

const ai = z.strictObject({
  max_requests: z.int().positive().optional(),
  request_retries: z.int().nonnegative().max(100).optional(),
  idle_timeout: seconds.optional(),
  max_output_tokens: z.int().positive().optional(),
  command_timeout: seconds.optional(),
}) satisfies z.ZodType<AiSettings>;

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cached_input: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
}) satisfies z.ZodType<PriceSettings>;

/** The keys of the configuration file that backends read, by name; docs/extending.md has them in a table. */
export const backendSettingsShape = {
  provider: z.string().optional(),
  model: z.string().optional(),
  providers: entriesOf(provider).default(new Map()),
  keys_file: z.string().min(1).optional(),
  mcp_servers: entriesOf(mcpServer).default(new Map()),
  agents: entriesOf(agent).default(new Map()),
  ai: ai.optional(),
  prices: entriesOf(price).default(new Map()),
} as const;

/** Checks settings, and makes maps of those with names chosen by the user. */
export const backendSettings = z.strictObject(backendSettingsShape) satisfies z.ZodType<BackendSettings>;
