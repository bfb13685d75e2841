import { statSync } from 'node:fs';
import path from 'node:path';
import type { Node } from '../../graph/graph.js';
import type { BackendCall, BackendReply } from '../../handlers/codergen-backend.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import type { Session } from '../../machine/progress.js';
import { noUsage, type Usage } from '../../machine/usage.js';
import { isInteractive } from '../ask-person.js';
import type { Variables } from '../gateway/agent-gateway.js';
import type { GatewayServer } from '../gateway/gateway-server.js';
import { openStageGateway, type StageGateway } from '../gateway/open-stage-gateway.js';
import { continueRequest, interruptedSession } from '../interrupted-session.js';
import type { BackendSettings } from '../settings.js';
import {
  correctionRequest,
  discardStatusFile,
  readStageVerdict,
  reminder,
  type VerdictSource,
  verdictRequest,
} from '../stage-verdict.js';
import { owedLabel, verdictCorrections, verdictReminders } from '../verdict.js';
import { AskRegister } from '../verdict-server/ask-register.js';
import { startVerdictChannel, type VerdictChannel } from '../verdict-server/start-verdict-channel.js';
import { withSystemPrompt } from '../with-system-prompt.js';
import { wordsForAgent } from '../words-for-agent.js';
import { AgentFailure } from './agent-failure.js';
import type { ProgramOrder } from './agent-program.js';
import type { ChosenCommandAgent } from './command-chooser.js';
import { asksFor, fillTemplate } from './command-template.js';
import { KeptText } from './kept-text.js';
import { runTurn, type TurnResult } from './run-turn.js';
import { readSession, type StoredSession, sessionFor, sessionOwner } from './stored-session.js';

/** Dependencies of a stage. */
export interface StageTools {
  readonly chosen: ChosenCommandAgent;
  /** Environment of this process, with the keys of a key file, which agents receive as models do. */
  readonly variables: Variables;
  readonly gateways: GatewayServer;
  readonly settings: Pick<BackendSettings, 'prices' | 'ai'>;
  /** Cost in US dollars; undefined if no price is known. */
  readonly costOf: (provider: string, model: string, usage: Usage) => number | undefined;
}

const promptFile = 'agent-prompt.md';
const outputFile = 'agent-stdout.log';
const errorFile = 'agent-stderr.log';

/** Runs one stage by the program of an agent (§4.5): a turn, and further ones if its verdict is unusable. */
export async function runStage(
  node: Node,
  prompt: string,
  call: BackendCall,
  tools: StageTools,
): Promise<BackendReply> {
  const { workingDirectory, stageDirectory, routes } = call;
  if (!statSync(workingDirectory, { throwIfNoEntry: false })?.isDirectory()) {
    const message = `the working directory "${workingDirectory}" does not exist`;
    throw new AgentFailure(message, { failure_category: 'terminal' });
  }
  call.checkBudget();
  call.makeStageDirectory();
  const people = isInteractive(node) ? new AskRegister(call.ask) : undefined;
  const hasServer = tools.chosen.agent.verdict !== undefined && (routes ?? people) !== undefined;
  const channel = hasServer ? await startVerdictChannel(routes, people) : undefined;
  const way = routes && { routes, stageDirectory, channel };
  let gateway: StageGateway | undefined;
  let stage: AgentStage | undefined;
  try {
    gateway = await openGateway(call, tools);
    stage = new AgentStage({ call: gateway?.call ?? call, tools, channel, gateway });
    return way === undefined ? await stage.answer(prompt) : await stage.answerWithVerdict(prompt, way);
  } finally {
    await gateway?.close();
    await channel?.close();
    stage?.keepOutputs();
  }
}

function openGateway(call: BackendCall, tools: StageTools): Promise<StageGateway | undefined> {
  const { chosen, gateways: server, settings } = tools;
  const { agent, gateway, program } = chosen;
  const environment = environmentOf(call, tools);
  const { workingDirectory: directory, stageDirectory } = call;
  const place = { environment, protocol: 'command', program, directory, stageDirectory } as const;
  return openStageGateway({ server, gateway, title: agent.title, place, call, settings });
}

/** Environment of the agent without what a call of it adds. */
function environmentOf(call: BackendCall, { chosen: { agent }, variables }: StageTools): Variables {
  return { ...agent.defaultEnv, ...variables, ...call.environment(), ...agent.env };
}

type Answer = Extract<TurnResult, { readonly kind: 'answered' }>;

interface StageParts {
  readonly call: BackendCall;
  readonly tools: StageTools;
  readonly channel: VerdictChannel | undefined;
  readonly gateway: StageGateway | undefined;
}

class AgentStage {
  readonly #call: BackendCall;
  readonly #gateway: StageGateway | undefined;
  readonly #tools: StageTools;
  readonly #channel: VerdictChannel | undefined;
  readonly #stdout = new KeptText();
  readonly #stderr = new KeptText();
  #session: StoredSession | undefined;
  /** True until the first turn, if it continues after an interruption. */
  #isInterrupted = false;

  constructor({ call, tools, channel, gateway }: StageParts) {
    this.#call = call;
    this.#gateway = gateway;
    this.#tools = tools;
    this.#channel = channel;
    const interrupted = interruptedSession(call, sessionOwner(this.#agent.name));
    if (interrupted !== undefined && this.#agent.resume !== undefined) {
      this.#session = readSession(interrupted, this.#agent.name);
      this.#isInterrupted = this.#session !== undefined;
    }
    this.#session ??= this.#earlierSession();
    if (this.#agent.resume !== undefined) call.steering?.open();
    else call.steering?.refuse(`${this.#title} reads its prompt once, and cannot continue a conversation`);
  }

  async answer(prompt: string): Promise<BackendReply> {
    const { text } = await this.#firstTurn(prompt);
    this.#reportSession();
    return { response: text };
  }

  /** Asks until there is a usable verdict, or no further try. */
  async answerWithVerdict(prompt: string, way: VerdictSource): Promise<BackendReply> {
    let { text } = await this.#firstTurn(prompt, `\n\n${verdictRequest(way)}`);
    let corrections = verdictCorrections;
    let reminders = verdictReminders(way.routes);
    let reminded = 0;
    while (true) {
      const reading = readStageVerdict(way);
      if (reading?.kind === 'outcome') return this.#reply(text, reading.outcome);
      const canContinue = this.#tools.chosen.agent.resume !== undefined && this.#session !== undefined;
      if (reading === undefined) {
        if (reminders === 0 || !canContinue) return this.#replyWithout(text, way, reminded);
        reminders -= 1;
        reminded += 1;
        await this.#askAgain(reminder(way));
        continue;
      }
      discardStatusFile(way);
      // With the tool, each mistake was reported at once, and could be corrected.
      if (corrections === 0 || !canContinue || way.channel?.isExhausted()) {
        // The stage names the missing keys when it fails.
        if (reading.outcome !== undefined) return this.#reply(text, reading.outcome);
        const message = `the verdict of ${this.#title} cannot be used: ${reading.problem}`;
        throw new AgentFailure(message, { failure_category: 'terminal' });
      }
      corrections -= 1;
      this.#call.log('info', `${this.#title} must correct its verdict: ${reading.problem}`);
      // An answer about the verdict does not replace the answer about the work.
      const correction = await this.#askAgain(correctionRequest(way, reading.problem));
      text ||= correction.text;
    }
  }

  /** Writes the outputs for people; the store redacts them. */
  keepOutputs(): void {
    for (const [name, kept] of [
      [outputFile, this.#stdout],
      [errorFile, this.#stderr],
    ] as const) {
      if (kept.text !== '') this.#call.writeFile(name, kept.text);
    }
  }

  get #agent(): ChosenCommandAgent['agent'] {
    return this.#tools.chosen.agent;
  }

  get #title(): string {
    return this.#agent.title;
  }

  #reply(response: string, outcome?: Outcome): BackendReply {
    this.#reportSession();
    return { response, outcome };
  }

  /** Reply of an agent that never gave a verdict. */
  #replyWithout(text: string, { routes }: VerdictSource, reminded: number): BackendReply {
    const owed = owedLabel(routes, this.#title, reminded);
    if (owed !== undefined) return { response: text, outcome: failure(owed, { retryable: true }) };
    if (routes.isChoice) {
      const ways = routes.labels.length === 0 ? routes.targets : routes.labels;
      this.#call.log(
        'warning',
        `${this.#title} did not say how the stage ended (${ways.join(', ')}); its answer counts as a success`,
      );
    }
    return this.#reply(text);
  }

  /** First turn of the stage: with its prompt, or with a request to continue after an interruption. */
  async #firstTurn(prompt: string, verdict = ''): Promise<Answer> {
    const anew = async () => {
      const told = (await this.#call.promptForNewSession?.()) ?? prompt;
      await this.#begin(false);
      return `${told}${verdict}`;
    };
    if (!this.#isInterrupted) {
      const isLost = this.#session === undefined && this.#call.session !== undefined;
      if (isLost) return this.#turn(await anew());
      await this.#begin(false);
      return this.#turn(`${prompt}${verdict}`, anew);
    }
    this.#call.log('info', `${this.#title} continues its conversation after an interruption`);
    await this.#begin(true);
    this.#call.conversation?.add({ kind: 'user', text: continueRequest });
    return this.#turn(`${continueRequest}${verdict}`, anew);
  }

  #askAgain(text: string): Promise<Answer> {
    this.#call.conversation?.add({ kind: 'user', text });
    return this.#turn(text);
  }

  async #begin(continues: boolean): Promise<void> {
    const { conversation, model, thread } = this.#call;
    const backend = sessionOwner(this.#agent.name);
    await conversation?.begin({ backend, model: model.model, thread, continues, recordsTurns: false });
  }

  /**
   * Calls the program once; if the conversation to continue is gone, begins a new one.
   * @param whole makes the text for a new one
   */
  async #turn(text: string, whole?: () => Promise<string> | string): Promise<Answer> {
    let answer = await this.#turnOnce(text, whole);
    for (;;) {
      const words = await this.#words();
      if (words === undefined) return answer;
      answer = await this.#turnOnce(words);
    }
  }

  /** What people have said meanwhile, if the conversation can continue. */
  async #words(): Promise<string | undefined> {
    const canContinue = this.#agent.resume !== undefined && this.#session !== undefined;
    return canContinue ? await wordsForAgent(this.#call) : undefined;
  }

  async #turnOnce(text: string, whole: () => Promise<string> | string = () => text): Promise<Answer> {
    if (this.#session !== undefined) this.#call.checkBudget();
    const result = await this.#runOnce(text);
    if (result.kind === 'session_gone') {
      this.#call.log(
        'warning',
        `${this.#title} starts over because its conversation is gone: ${result.message}`,
      );
      this.#session = undefined;
      const again = await this.#runOnce(await whole());
      if (again.kind === 'session_gone') throw new AgentFailure(again.message);
      return this.#remember(again);
    }
    return this.#remember(result);
  }

  #remember(answer: Answer): Answer {
    const { session = this.#session?.id, usedInSession } = answer;
    if (session !== undefined) this.#session = { id: session, used: usedInSession };
    return answer;
  }

  #runOnce(text: string): Promise<TurnResult> {
    const { chosen, costOf } = this.#tools;
    const { agent } = chosen;
    const provider = agent.provider ?? agent.name;
    const isResumed = this.#session !== undefined && agent.resume !== undefined;
    return runTurn({
      chosen,
      call: this.#call,
      endings: [this.#gateway?.ending, this.#channel?.ending],
      isResumed,
      isHeld: () => this.#channel?.isAsking() === true || this.#gateway?.isPausing() === true,
      program: this.#order(text, isResumed),
      options: {
        call: this.#call,
        title: agent.title,
        provider,
        usedBefore: (isResumed && this.#session?.used) || noUsage,
        costOf: (model, usage) => costOf(provider, model, usage),
        onSession: (id, used) =>
          this.#call.conversation?.add({ kind: 'session', ...sessionFor({ id, used }, agent.name) }),
      },
      stdout: this.#stdout,
      stderr: this.#stderr,
    });
  }

  #order(given: string, isResumed: boolean): ProgramOrder {
    const call = this.#call;
    const { agent, program } = this.#tools.chosen;
    const inherited = environmentOf(call, this.#tools);
    const wiring = this.#channel === undefined ? {} : (agent.verdict?.(this.#channel, inherited) ?? {});
    const template = (isResumed ? agent.resume : undefined) ?? agent.command;
    const takesSystemPrompt = asksFor(template, 'system_prompt');
    const text = isResumed || takesSystemPrompt ? given : withSystemPrompt(call.systemPrompt, given);
    if (agent.prompt === 'file') call.writeFile(promptFile, text);
    const isAppended = agent.prompt === 'argument' && !asksFor(template, 'prompt');
    const [, ...args] = fillTemplate(isAppended ? [...template, '{prompt}'] : template, {
      prompt: text,
      prompt_file: path.join(call.stageDirectory, promptFile),
      model: call.model.model,
      effort: call.model.reasoningEffort,
      working_directory: call.workingDirectory,
      session: this.#session?.id,
      stage_dir: call.stageDirectory,
      system_prompt: call.systemPrompt,
    });
    const wired = this.#gateway?.wire({ ...inherited, ...wiring.env });
    return {
      program,
      args: [...args, ...(wiring.args ?? []), ...(wired?.args ?? [])],
      directory: call.workingDirectory,
      environment: wired?.environment ?? { ...inherited, ...wiring.env },
      input: agent.prompt === 'stdin' ? text : undefined,
    };
  }

  /** Conversation of earlier stages of the thread with the same agent (§5.4). */
  #earlierSession(): StoredSession | undefined {
    const { fidelity, session } = this.#call;
    const { agent } = this.#tools.chosen;
    if (fidelity !== 'full') return undefined;
    if (agent.resume === undefined) {
      this.#call.log('info', `${agent.title} cannot resume conversations: each stage starts a new one`);
      return undefined;
    }
    if (session === undefined) return undefined;
    const stored = readSession(session, agent.name);
    if (stored === undefined) {
      const message = `${agent.title} starts a new conversation: that of its thread belongs to ${session.backend}`;
      this.#call.log('warning', message);
    }
    return stored;
  }

  /** Reports the session only after a success: a conversation that broke off is not resumed. */
  #reportSession(): void {
    const { fidelity, report } = this.#call;
    const { agent } = this.#tools.chosen;
    if (fidelity !== 'full' || this.#session === undefined || agent.resume === undefined) return;
    const session: Session = sessionFor(this.#session, agent.name);
    report({ kind: 'session_started', ...session, includes_stage: true });
  }
}
