import { isRecord } from '../../graph/json.js';
import { version } from '../../version.js';
import { isShortage } from '../guarded-start.js';
import { within } from '../within.js';
import type { ChosenAcpAgent } from './acp-chooser.js';
import { AgentError, agentRefusal } from './agent-error.js';
import { AgentProcess } from './agent-process.js';
import { countIn, type Fields, recordIn } from './fields.js';
import { longestMessage, messageStream } from './message-stream.js';
import { readWorkspaceFile, writeWorkspaceFile } from './workspace-files.js';

/** The library, which is loaded when the first agent is started. */
export type Protocol = typeof import('@agentclientprotocol/sdk');

/** Receives the requests and notifications of an agent. */
export interface AgentListener {
  heard(): void;
  updated(update: Fields): void;
  /** Called with a notification beyond the protocol. */
  notified(method: string, params: unknown): void;
  permission(request: Fields): Promise<object>;
  log(level: 'info' | 'warning', message: string): void;
}

export interface ConnectionOptions {
  readonly chosen: ChosenAcpAgent;
  readonly args: readonly string[];
  readonly directory: string;
  readonly runDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly listener: AgentListener;
}

/** Characters of standard error that an error message quotes. */
const wordsShown = 600;

/** A started agent and the connection to it. */
export class AgentConnection {
  readonly #process: AgentProcess;
  readonly #connection: ReturnType<ReturnType<Protocol['client']>['connect']>;
  readonly #chosen: ChosenAcpAgent;
  #garbled = 0;
  #isStarted = false;
  /** Reason why its output is not read any more. */
  #broken: string | undefined;
  /** Rejects if the agent ends before it is closed. */
  readonly ended: Promise<never>;

  /** @throws AgentError where the program cannot be started */
  constructor(protocol: Protocol, options: ConnectionOptions) {
    const { chosen, args, directory, environment, listener } = options;
    this.#chosen = chosen;
    try {
      this.#process = new AgentProcess({ program: chosen.program, args, directory, environment });
    } catch (error) {
      throw this.#notStarted(error);
    }
    const refuse = (code: number, message: string) => new protocol.RequestError(code, message);
    const { client } = protocol.methods;
    const stream = messageStream(this.#process.input, this.#process.output, {
      heard: () => listener.heard(),
      updated: (params) => listener.updated(recordIn(params, 'update')),
      notified: (method, params) => listener.notified(method, params),
      garbled: (line) => this.#noteGarbled(line, listener),
      tooLong: () => {
        this.#broken = `wrote a message of more than ${longestMessage / 1_000_000} MB`;
      },
    });
    this.#connection = protocol
      .client({ name: 'attractor' })
      .onRequest(client.session.requestPermission, asFields, async ({ params }) =>
        listener.permission(params),
      )
      .onRequest(client.fs.readTextFile, asFields, ({ params }) => readWorkspaceFile(params, options, refuse))
      .onRequest(client.fs.writeTextFile, asFields, ({ params }) =>
        writeWorkspaceFile(params, directory, refuse, chosen.permissions),
      )
      .connect(stream);
    this.ended = this.#end();
    this.ended.catch(() => undefined);
  }

  get lastWords(): string {
    return this.#process.lastWords;
  }

  /** @returns the capabilities of the agent */
  async initialize(protocol: Protocol): Promise<Fields> {
    const { title, clientMeta } = this.#chosen.agent;
    const answer = await this.request('initialize', {
      protocolVersion: protocol.PROTOCOL_VERSION,
      // Neither files nor terminals are offered: agents do both better by themselves, and one fails if they
      // are.
      clientCapabilities: clientMeta === undefined ? {} : { _meta: clientMeta },
      clientInfo: { name: 'attractor', version },
    });
    const spoken = countIn(answer, 'protocolVersion');
    if (spoken !== protocol.PROTOCOL_VERSION) {
      throw new AgentError(
        `${title} speaks version ${spoken ?? '(unknown)'} of the Agent Client Protocol; expected ${protocol.PROTOCOL_VERSION}: install another version of it`,
        { retryable: false },
      );
    }
    this.#isStarted = true;
    return isRecord(answer) ? answer : {};
  }

  /** @throws AgentError if the agent refuses, or ends before it has answered */
  async request(method: string, params: object): Promise<unknown> {
    const answer = this.#connection.agent.request<unknown, object>(method, params);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, this.ended]);
    } catch (error) {
      if (error instanceof AgentError) throw error;
      // The stream ends a moment before the process, whose end says more.
      if (this.#connection.signal.aborted) return this.ended;
      const { title, signIn } = this.#chosen.agent;
      throw agentRefusal(error, title, signIn);
    }
  }

  /** Cancels the current turn of a session. */
  cancel(sessionId: string): void {
    this.#connection.agent.notify('session/cancel', { sessionId }).catch(() => undefined);
  }

  async close(isUrgent: boolean): Promise<void> {
    await this.#process.stop(isUrgent);
    this.#connection.close();
  }

  #noteGarbled(line: string, { log }: AgentListener): void {
    this.#garbled += 1;
    if (this.#garbled > 1) return;
    const shown = line.length > 200 ? `${line.slice(0, 200)}…` : line;
    log(
      'warning',
      `${this.#chosen.agent.title} writes a line that is not a message of its protocol: ${shown}`,
    );
  }

  async #end(): Promise<never> {
    const exit = await Promise.race([this.#process.exit, this.#streamBroken()]);
    if (exit.kind === 'not_started') throw this.#notStarted(exit.error);
    const { title } = this.#chosen.agent;
    if (this.#broken !== undefined)
      throw new AgentError(`${title} ${this.#broken}`, { retryable: true, hasEnded: true });
    const words = this.#process.lastWords.trim().slice(-wordsShown);
    const how = `${title} ended in the middle of its work (${exit.how})`;
    // A program that does not even initialize is probably not the right one.
    throw new AgentError(words === '' ? how : `${how}: ${words}`, {
      retryable: this.#isStarted,
      hasEnded: true,
    });
  }

  /**
   * Ends a program that closes its output, or writes a message without an end, because it cannot be used
   * although it may live on.
   */
  async #streamBroken(): Promise<{ readonly kind: 'exited'; readonly how: string }> {
    await this.#connection.closed;
    const exit = await within(this.#process.exit, outputGraceMs);
    if (exit?.kind === 'exited') return exit;
    return { kind: 'exited', how: 'its output is closed, or cannot be read' };
  }

  #notStarted(error: unknown): AgentError {
    const why = error instanceof Error ? error.message : String(error);
    return new AgentError(`${this.#chosen.agent.title} could not be started: ${why}`, {
      retryable: isShortage(error),
      hasEnded: true,
    });
  }
}

/** Longer than the time for reading the outputs of an ended program. */
const outputGraceMs = 2000;

function asFields(params: unknown): Fields {
  return isRecord(params) ? params : {};
}
