import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { VerdictServer } from '../verdict-server/start-verdict-channel.js';
import type { ChosenAcpAgent } from './acp-chooser.js';
import type { AgentConnection } from './agent-connection.js';
import { AgentError, authRequired } from './agent-error.js';
import { type Fields, recordIn, recordsIn, textIn } from './fields.js';
import { readAcpSession } from './stored-session.js';

/** Session with an agent, new or resumed. */
export interface OpenSession {
  readonly id: string;
  readonly isNew: boolean;
  /** Answer of the agent when the session was opened. */
  readonly begun: unknown;
  /** True if the agent may still be replaying earlier messages. */
  readonly isReplaying: boolean;
}

export interface OpenOptions {
  readonly chosen: ChosenAcpAgent;
  readonly connection: AgentConnection;
  /** Capabilities that the agent reported when it was started. */
  readonly abilities: Fields;
  readonly verdictServer: VerdictServer | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly call: Pick<BackendCall, 'workingDirectory' | 'session' | 'systemPrompt' | 'log'>;
}

/**
 * Resumes the session of the thread if there is one and the agent can, and begins a new one otherwise
 * (§5.4).
 */
export async function openSession(options: OpenOptions): Promise<OpenSession> {
  const { chosen, abilities, call } = options;
  const stored = readAcpSession(call.session, chosen);
  if (stored !== undefined) {
    const method = resumeMethod(abilities);
    if (method !== undefined) {
      const resumed = await tryToResume(method, stored.id, options);
      if (resumed !== undefined) return resumed;
    } else {
      call.log('warning', `${chosen.agent.title} cannot resume an earlier session, so it starts over`);
    }
  }
  const begun = await signedIn(options, () => begin('session/new', {}, options));
  const id = textIn(begun, 'sessionId');
  if (id === undefined) {
    throw new AgentError(`${chosen.agent.title} started a session without an id`, { retryable: false });
  }
  return { id, isNew: true, begun, isReplaying: false };
}

/** Method to resume a session: the first does not replay the conversation, the second does. */
function resumeMethod(abilities: Fields): 'session/resume' | 'session/load' | undefined {
  const capabilities = recordIn(abilities, 'agentCapabilities');
  const { resume } = recordIn(capabilities, 'sessionCapabilities');
  if (resume !== undefined && resume !== null && resume !== false) return 'session/resume';
  return capabilities.loadSession === true ? 'session/load' : undefined;
}

async function tryToResume(
  method: 'session/resume' | 'session/load',
  id: string,
  options: OpenOptions,
): Promise<OpenSession | undefined> {
  const { chosen, call } = options;
  try {
    const begun = await signedIn(options, () => begin(method, { sessionId: id }, options));
    return { id, isNew: false, begun, isReplaying: method === 'session/load' };
  } catch (error) {
    if (!(error instanceof AgentError) || error.hasEnded) throw error;
    call.log(
      'warning',
      `${chosen.agent.title} cannot resume the session ${id} and starts over: ${error.message}`,
    );
    return undefined;
  }
}

function begin(method: string, params: object, options: OpenOptions) {
  const { chosen, connection, verdictServer, call } = options;
  const mcpServers = verdictServer === undefined ? [] : [asMcpServer(verdictServer)];
  const { sessionMeta, systemPromptMeta } = chosen.agent;
  const added = call.systemPrompt === undefined ? undefined : systemPromptMeta?.(call.systemPrompt);
  const _meta = added === undefined ? sessionMeta : { ...sessionMeta, ...added };
  return connection.request(method, { ...params, cwd: call.workingDirectory, mcpServers, _meta });
}

function asMcpServer({ name, command, args, env }: VerdictServer): object {
  const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  return { name, command, args, env: variables };
}

/** Signs in by a key if the agent asks for it and one is set: that needs no person. */
async function signedIn(options: OpenOptions, open: () => Promise<unknown>): Promise<unknown> {
  try {
    return await open();
  } catch (error) {
    const methodId = keyMethodOf(options);
    if (!(error instanceof AgentError) || error.rpcCode !== authRequired || methodId === undefined)
      throw error;
    await options.connection.request('authenticate', { methodId });
    return open();
  }
}

function keyMethodOf({ chosen, abilities, environment }: OpenOptions): string | undefined {
  const { keyMethod } = chosen.agent;
  if (keyMethod === undefined || !keyMethod.variables.some((name) => environment[name])) return undefined;
  const offered = recordsIn(abilities, 'authMethods').map((method) => textIn(method, 'id'));
  return offered.includes(keyMethod.id) ? keyMethod.id : undefined;
}
