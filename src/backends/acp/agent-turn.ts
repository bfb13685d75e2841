import { setTimeout as sleep } from 'node:timers/promises';
import { abortWith, unlessAborted } from '../../abort/abort.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { StageGateway } from '../gateway/open-stage-gateway.js';
import { IdleClock, realSleep } from '../idle-clock.js';
import { continueRequest } from '../interrupted-session.js';
import { correctionRequest, discardStatusFile, readStageVerdict, reminder } from '../stage-verdict.js';
import { verdictInstruction, verdictReminders, verdictTool } from '../verdict.js';
import type { VerdictChannel } from '../verdict-server/start-verdict-channel.js';
import { withSystemPrompt } from '../with-system-prompt.js';
import { wordsForAgent } from '../words-for-agent.js';
import type { ChosenAcpAgent } from './acp-chooser.js';
import { AgentConnection, type AgentListener, type Protocol } from './agent-connection.js';
import { AgentError, failureInAnswer } from './agent-error.js';
import type { AgentStart } from './agent-start.js';
import { checkEnd } from './check-end.js';
import { configureSession } from './configure-session.js';
import { decidePermission } from './decide-permission.js';
import { type Fields, recordIn, textIn } from './fields.js';
import { type OpenSession, openSession } from './open-session.js';
import type { SessionBegins } from './session-begins.js';
import { SessionUpdates } from './session-updates.js';
import { acpSessionFor, readAcpSession, sessionOwner } from './stored-session.js';
import { UsageMeter } from './usage-meter.js';

export interface TurnOptions {
  readonly protocol: Protocol;
  readonly chosen: ChosenAcpAgent;
  readonly prompt: string;
  /** True if an earlier attempt was interrupted in the session of the call. */
  readonly isInterrupted: boolean;
  readonly call: BackendCall;
  readonly channel: VerdictChannel | undefined;
  readonly start: AgentStart;
  /** Undefined if its requests do not pass through the gateway. */
  readonly gateway: StageGateway | undefined;
  readonly begins: SessionBegins;
}

/** Time in milliseconds in which an agent may stop its work, before its process is ended. */
const cancelGraceMs = 500;
/**
 * Silence in milliseconds after which the replay of a resumed session counts as complete, and the maximum
 * of such waits.
 */
const replayQuietMs = 200;
const replayLooks = 25;

/** Work of an agent on one stage: its process, its session, and the prompts in it. */
export class AgentTurn {
  readonly #options: TurnOptions;
  readonly #updates: SessionUpdates;
  readonly #meter: UsageMeter;
  readonly #idle: IdleClock;
  /** Aborted with the reason why the agent must stop. */
  readonly #stop = new AbortController();
  /** Aborted when the turn is over, to stop its clocks. */
  readonly #over = new AbortController();
  /** True once the prompt was sent; updates before it do not belong to this stage. */
  #isPrompted = false;
  #wasHeard = false;
  #sessionId = '';
  #reminders = 0;
  /** Session that was reported last. */
  #reported: string | undefined;

  constructor(options: TurnOptions) {
    const { chosen, call } = options;
    this.#options = options;
    this.#idle = new IdleClock(
      realSleep,
      () => options.channel?.isAsking() === true || options.gateway?.isPausing() === true,
    );
    const { title, provider = chosen.agent.name } = chosen.agent;
    this.#meter = new UsageMeter(provider, call.model.model, (problem) =>
      call.log('warning', `${title} ${problem}`),
    );
    this.#updates = new SessionUpdates(call, this.#meter, () => this.#reportSession());
  }

  /** Number of requests for a verdict that the agent got. */
  get reminders(): number {
    return this.#reminders;
  }

  /** @returns the answer of the agent; its verdict is in the channel, or the status file */
  async run(): Promise<string> {
    const { call, protocol, chosen, start, gateway, channel } = this.#options;
    call.signal.throwIfAborted();
    call.steering?.open();
    await this.#untilSessionIsSafe();
    call.makeStageDirectory();
    const connection = new AgentConnection(protocol, {
      chosen,
      args: start.args,
      directory: call.workingDirectory,
      runDirectory: call.logsRoot,
      environment: start.environment,
      listener: this.#listener(),
    });
    const release = abortWith(this.#stop, call.signal, gateway?.ending, channel?.ending);
    this.#watchTime();
    let isDone = false;
    try {
      const response = await this.#converse(connection);
      isDone = true;
      return response;
    } finally {
      release();
      this.#over.abort(turnOver);
      await connection.close(!isDone);
      if (connection.lastWords !== '') call.writeFile('stderr.log', connection.lastWords);
    }
  }

  /** Waits before the agent is started, so that none of its clocks runs yet. */
  async #untilSessionIsSafe(): Promise<void> {
    const { call, chosen, begins } = this.#options;
    const { session, signal } = call;
    const stored = readAcpSession(session, chosen);
    if (chosen.agent.losesSessionsOfTheMinute !== true || stored === undefined) return;
    const rest = begins.rest(stored.id, Date.now());
    if (rest === 0) return;
    const seconds = Math.ceil(rest / 1000);
    const why = `${chosen.agent.title} loses a conversation that is resumed within a minute of its start`;
    call.log('info', `waiting for ${seconds} s: ${why}`);
    await sleep(rest, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  async #converse(connection: AgentConnection): Promise<string> {
    const { call, chosen, channel, protocol, begins } = this.#options;
    const abilities = await this.#unlessStopped(connection.initialize(protocol));
    const { environment } = this.#options.start;
    const verdictServer = channel;
    const session = await this.#unlessStopped(
      openSession({ chosen, connection, abilities, verdictServer, environment, call }),
    );
    if (session.isNew) begins.note(session.id, Date.now());
    this.#sessionId = session.id;
    const request = await this.#begin(session);
    const costBefore = session.isNew ? undefined : readAcpSession(call.session, chosen)?.costUsd;
    if (costBefore !== undefined) this.#meter.startAt(costBefore);
    this.#reportSession(costBefore);
    if (session.isReplaying) await this.#unlessStopped(this.#replayed());
    await this.#unlessStopped(this.#configure(connection, session));
    this.#isPrompted = true;
    const { routes } = call;
    const instruction = routes === undefined ? '' : `\n\n${verdictInstruction(routes)}`;
    await this.#prompt(connection, session, `${request}${instruction}`);
    await this.#remind(connection, session, routes === undefined ? 0 : verdictReminders(routes));
    this.#reportSession(this.#meter.costSoFar, true);
    return this.#updates.response;
  }

  /** Asks for a verdict that is missing or cannot be used. */
  async #remind(connection: AgentConnection, session: OpenSession, reminders: number): Promise<void> {
    const { call, chosen, channel } = this.#options;
    for (let left = reminders; left > 0; left -= 1) {
      const request = this.#missingVerdict();
      if (request === undefined) return;
      discardStatusFile(call);
      call.conversation?.add({ kind: 'user', text: request });
      await this.#prompt(connection, session, request);
      this.#reminders += 1;
    }
    if (reminders > 0 && this.#missingVerdict() !== undefined && channel?.result() === undefined) {
      call.log(
        'warning',
        `${chosen.agent.title} ended without calling ${verdictTool}, although this stage needs its outcome`,
      );
    }
  }

  /**
   * Begins the conversation of the stage, or continues it after an interruption.
   * @returns the request to the agent
   */
  async #begin(session: OpenSession): Promise<string> {
    const { call, chosen, prompt, isInterrupted } = this.#options;
    const continues = isInterrupted && !session.isNew;
    const { conversation, model, thread } = call;
    const about = {
      backend: sessionOwner(chosen),
      model: model.model,
      thread,
      continues,
      recordsTurns: false,
    };
    const isLost = session.isNew && call.session !== undefined;
    const told = (isLost ? await call.promptForNewSession?.() : undefined) ?? prompt;
    await conversation?.begin(about);
    if (!continues) {
      const isInPrompt = session.isNew && chosen.agent.systemPromptMeta === undefined;
      return isInPrompt ? withSystemPrompt(call.systemPrompt, told) : told;
    }
    call.log('info', `${chosen.agent.title} continues its session after an interruption`);
    conversation?.add({ kind: 'user', text: continueRequest });
    return continueRequest;
  }

  /**
   * Reports the session, and again when its costs have grown: the process that resumes it receives only the
   * sum of all turns. At the end of the stage, the session includes it.
   */
  #reportSession(cost = this.#meter.costSoFar, isDone = false): void {
    const { call, chosen } = this.#options;
    const costUsd = chosen.agent.countsCostsAnew === true ? undefined : cost;
    const session = acpSessionFor(chosen, { id: this.#sessionId, costUsd });
    if (session.session_id === this.#reported && !isDone) return;
    this.#reported = session.session_id;
    call.report({ kind: 'session_started', ...session, includes_stage: isDone ? true : undefined });
  }

  #configure(connection: AgentConnection, { id, begun }: OpenSession): Promise<void> {
    const { title } = this.#options.chosen.agent;
    const request = (method: string, params: object) => connection.request(method, params);
    return configureSession({ title, id, begun, request }, this.#options.call);
  }

  /**
   * Request for the verdict that the stage needs, or for what its verdict lacks; undefined if there is nothing to ask for, or
   * no further verdict would be accepted.
   */
  #missingVerdict(): string | undefined {
    const { call, channel } = this.#options;
    if (call.routes === undefined || channel === undefined) return undefined;
    const source = { routes: call.routes, stageDirectory: call.stageDirectory, channel };
    const reading = readStageVerdict(source);
    if (reading === undefined) return reminder(source);
    if (reading.kind === 'outcome' || channel.isExhausted()) return undefined;
    return correctionRequest(source, reading.problem);
  }

  /** Prompts the agent, and then with what people have said meanwhile. @throws AgentError for a turn that did not complete */
  async #prompt(connection: AgentConnection, session: OpenSession, text: string): Promise<void> {
    let next: string | undefined = text;
    while (next !== undefined) {
      await this.#promptOnce(connection, session, next);
      next = await wordsForAgent(this.#options.call);
    }
  }

  async #promptOnce(connection: AgentConnection, session: OpenSession, text: string): Promise<void> {
    const { call, chosen } = this.#options;
    call.checkBudget();
    this.#updates.beginTurn();
    const prompt = [{ type: 'text', text }];
    const answer = connection.request('session/prompt', { sessionId: session.id, prompt });
    let response: unknown;
    try {
      response = await this.#unlessStopped(answer);
    } catch (error) {
      if (this.#stop.signal.aborted) await this.#cancel(connection, session, answer);
      throw error;
    }
    this.#updates.toolCalls.finish();
    for (const use of this.#meter.ofTurn(response)) call.report({ kind: 'model_used', ...use });
    const { title, signIn } = chosen.agent;
    const failure = failureInAnswer(response, title, signIn);
    if (failure !== undefined) throw failure;
    checkEnd(textIn(response, 'stopReason'), title);
    if (this.#updates.isEmpty && this.#options.channel?.result() === undefined) {
      throw new AgentError(`${chosen.agent.title} ended its turn without an answer`, { retryable: true });
    }
  }

  /** Cancels the turn and reports its usage so far, which still counts. */
  async #cancel(connection: AgentConnection, { id }: OpenSession, answer: Promise<unknown>): Promise<void> {
    connection.cancel(id);
    const response = await Promise.race([answer, sleep(cancelGraceMs)]).catch(() => undefined);
    for (const use of this.#meter.ofTurn(response)) this.#options.call.report({ kind: 'model_used', ...use });
  }

  async #replayed(): Promise<void> {
    for (let look = 0; look < replayLooks; look += 1) {
      this.#wasHeard = false;
      await sleep(replayQuietMs);
      if (!this.#wasHeard) return;
    }
  }

  #listener(): AgentListener {
    const { call, chosen } = this.#options;
    return {
      heard: () => {
        this.#wasHeard = true;
        this.#idle.heard();
      },
      updated: (update) => this.#take(update),
      notified: (method, params) => {
        const message = chosen.agent.retryIn?.(method, params);
        if (message !== undefined) call.log('warning', `${chosen.agent.title}: ${message}`);
      },
      permission: (request) => this.#permission(request),
      log: (level, message) => call.log(level, `${chosen.agent.title}: ${message}`),
    };
  }

  #take(update: Fields): void {
    if (this.#stop.signal.aborted) return;
    if (!this.#isPrompted) return this.#updates.passOver(update);
    try {
      this.#updates.take(update);
    } catch (error) {
      this.#stop.abort(error);
    }
  }

  async #permission(request: Fields): Promise<object> {
    const { call, chosen } = this.#options;
    const asked = recordIn(request, 'toolCall');
    const known = this.#updates.toolCalls.fieldsOf(textIn(asked, 'toolCallId') ?? '');
    const said = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined);
    const toolCall = { ...known, ...Object.fromEntries(said) };
    const { permissions: policy } = chosen;
    return this.#idle.hold(
      decidePermission(request, toolCall, { policy, title: chosen.agent.title, call }).catch((error) => {
        // Nobody can be asked any more: the run pauses or stops.
        this.#stop.abort(error);
        return { outcome: { outcome: 'cancelled' } };
      }),
    );
  }

  /** Starts our own clocks: some agents retry for minutes, or wait for ever. */
  #watchTime(): void {
    const { chosen } = this.#options;
    const { idleTimeout, wallTimeout, agent } = chosen;
    const { signal } = this.#over;
    const giveUp = (message: string) => () => this.#stop.abort(new AgentError(message, { retryable: true }));
    const silent = `${agent.title} sent nothing for ${idleTimeout / 1000} seconds`;
    this.#idle.expiry(idleTimeout, signal).then(giveUp(silent), () => undefined);
    if (wallTimeout === undefined) return;
    const late = `${agent.title} was not done after ${wallTimeout / 1000} seconds`;
    this.#wallExpiry(wallTimeout, signal).then(giveUp(late), () => undefined);
  }

  async #wallExpiry(milliseconds: number, signal: AbortSignal): Promise<void> {
    do await sleep(milliseconds, undefined, { signal });
    while (this.#options.channel?.isAsking());
  }

  /** @throws the reason why the agent must stop */
  #unlessStopped<Result>(work: Promise<Result>): Promise<Result> {
    return unlessAborted(work, this.#stop.signal);
  }
}

const turnOver = 'the turn is over';
