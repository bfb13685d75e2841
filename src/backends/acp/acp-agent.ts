/** Policies for an agent's requests for permission. */
export const permissionPolicies = ['allow', 'ask', 'deny'] as const;

export type PermissionPolicy = (typeof permissionPolicies)[number];

/** Choices of a stage that the program receives when it is started. */
export interface AgentWishes {
  readonly model: string | undefined;
  readonly effort: string;
  readonly permissions: PermissionPolicy;
  /** Directory of the stage's files, where values are that were too long for the prompt; it exists. */
  readonly stageDirectory: string;
}

/** Coding agent that speaks the Agent Client Protocol over its standard streams. */
export interface AcpAgent {
  /** Name in `llm_provider`; its sessions belong to `acp:<name>`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Name for people. */
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Advice if the program is not installed. */
  readonly install: string;
  /** Advice if it reports that nobody is signed in. */
  readonly signIn: string;
  /** Provider of its models; `models` matches their names. */
  readonly provider?: string;
  readonly models?: RegExp;
  /** Sign-in method that needs no person, once one of these variables is set. */
  readonly keyMethod?: { readonly id: string; readonly variables: readonly string[] };
  /** True if it loses a conversation that is resumed within the minute in which it began. */
  readonly losesSessionsOfTheMinute?: boolean;
  /** Our capabilities beyond the protocol, sent as `_meta` of `clientCapabilities`. */
  readonly clientMeta?: object;
  /** Session settings beyond the protocol, sent as `_meta` when a session begins or continues. */
  readonly sessionMeta?: object;
  /** The same for a system prompt in addition to the agent's own, if it takes one; else it precedes the first prompt. */
  readonly systemPromptMeta?: (text: string) => object;
  /** Describes a retry of a request to its model, for people; undefined for any other notification. */
  readonly retryIn?: (method: string, params: unknown) => string | undefined;
  /** Variables for an agent, unless the configuration or the environment sets them. */
  readonly defaultEnv?: Readonly<Record<string, string>>;
  /**
   * True if it restarts counting costs in each process, instead of for the whole session as the protocol
   * has it.
   */
  readonly countsCostsAnew?: boolean;
  /** More arguments, for the choices of a stage. */
  wishArgs?(wishes: AgentWishes): readonly string[];
  /** Variables for the choices of a stage; they override those of the configuration and inherited ones. */
  wishVariables?(wishes: AgentWishes, configured: Variables, inherited: Variables): Variables;
}

export type Variables = Readonly<Record<string, string | undefined>>;
