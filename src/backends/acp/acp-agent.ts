/** What becomes of an agent's wish to do something that it thinks needs permission. */
export const permissionPolicies = ['allow', 'ask', 'deny'] as const;

export type PermissionPolicy = (typeof permissionPolicies)[number];

/** What a stage wants of an agent, where that is said to the program when it is started. */
export interface AgentWishes {
  readonly model: string | undefined;
  readonly effort: string;
  readonly permissions: PermissionPolicy;
}

/** A coding agent that speaks the Agent Client Protocol over its standard streams. */
export interface AcpAgent {
  /** As `llm_provider` names it; its sessions belong to `acp:<name>`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** For people. */
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
  /** What to do where the program is not there. */
  readonly install: string;
  /** What to do where it says that nobody is signed in. */
  readonly signIn: string;
  /** The provider whose models it works with, and what their names begin with. */
  readonly provider?: string;
  readonly models?: RegExp;
  /** A way to sign in that needs no person, once one of these variables is set. */
  readonly keyMethod?: { readonly id: string; readonly variables: readonly string[] };
  /** It loses a conversation that is taken up again in the minute in which it began. */
  readonly losesSessionsOfTheMinute?: boolean;
  /** What we tell it that we understand beyond the protocol, as `_meta` of our capabilities. */
  readonly clientMeta?: object;
  /** What it is told of a session that begins or continues beyond the protocol, as `_meta`. */
  readonly sessionMeta?: object;
  /** What it says of a request to its model that it makes again, for people; undefined for any other notification. */
  readonly retryIn?: (method: string, params: unknown) => string | undefined;
  /** Variables that it has where neither the configuration nor the environment sets them. */
  readonly defaultEnv?: Readonly<Record<string, string>>;
  /** It counts its costs again in each process, instead of for the whole session as the protocol has it. */
  readonly countsCostsAnew?: boolean;
  /** More arguments for what a stage wants. */
  wishArgs?(wishes: AgentWishes): readonly string[];
  /** Variables for what a stage wants, which win over those that are there: those of the configuration, and those inherited. */
  wishVariables?(wishes: AgentWishes, configured: Variables, inherited: Variables): Variables;
}

export type Variables = Readonly<Record<string, string | undefined>>;
