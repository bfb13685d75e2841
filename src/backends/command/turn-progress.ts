import type { BackendCall } from '../../handlers/codergen-backend.js';
import { addUsage, noUsage, type Usage } from '../../machine/usage.js';
import type { AgentEnding, AgentFact } from './agent-fact.js';

/** Call and agent of a turn. */
export interface TurnOptions {
  readonly call: Pick<BackendCall, 'report' | 'checkBudget' | 'log' | 'model'>;
  /** Name of the agent for people. */
  readonly title: string;
  readonly provider: string;
  /** Usage of the conversation before this turn. */
  readonly usedBefore: Usage;
  /** Called with the session of the conversation, as soon as the agent names it, and with its usage so far if the agent counts that. */
  readonly onSession: (id: string, used: Usage | undefined) => void;
  /** Cost in US dollars; undefined if no price is known. */
  readonly costOf: (model: string, usage: Usage) => number | undefined;
}

/** Maximum of warnings in the run log. */
const mostTroubles = 10;

type Fact<Kind extends AgentFact['kind']> = Extract<AgentFact, { readonly kind: Kind }>;

/**
 * Follows one turn of an agent: reports its progress to the stage, and keeps the facts that decide its
 * result.
 */
export class TurnProgress {
  readonly #options: TurnOptions;
  readonly #calls = new Map<string, { readonly tool: string; readonly begun: number }>();
  #used: Usage = noUsage;
  #usedInSession: Usage | undefined;
  #session: string | undefined;
  #ending: AgentEnding | undefined;
  #lastTrouble: string | undefined;
  #troubles = 0;
  #isUnchecked = false;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get session(): string | undefined {
    return this.#session;
  }

  /** Last ending: an agent may try again after one. */
  get ending(): AgentEnding | undefined {
    return this.#ending;
  }

  get lastTrouble(): string | undefined {
    return this.#lastTrouble;
  }

  get used(): Usage {
    return this.#used;
  }

  /** Usage of the conversation, if the agent counts it as a whole. */
  get usedInSession(): Usage | undefined {
    return this.#usedInSession;
  }

  /** @throws StageSuspension when the agent is about to make a request beyond a budget */
  take(fact: AgentFact): void {
    switch (fact.kind) {
      case 'text':
      case 'reasoning':
        if (fact.text === '') return;
        return this.#report({
          kind: 'text',
          channel: fact.kind === 'text' ? 'response' : 'reasoning',
          text: fact.text,
        });
      case 'tool_started':
        return this.#toolStarted(fact);
      case 'tool_ended':
        this.#toolEnded(fact);
        // Its next request follows this result at once.
        return this.#checkBudget();
      case 'usage':
        this.#checkBudget();
        return this.#use(fact.model, fact.usage);
      case 'turn_usage':
        return this.#use(fact.model, beyond(fact.usage, this.#used));
      case 'session_usage':
        this.#usedInSession = fact.usage;
        this.#use(fact.model, beyond(beyond(fact.usage, this.#options.usedBefore), this.#used));
        return this.#tellSession();
      case 'session':
        if (fact.id === '' || fact.id === this.#session) return;
        this.#session = fact.id;
        return this.#tellSession();
      case 'trouble':
        return this.#meetTrouble(fact);
      case 'finished':
      case 'failed':
        this.#ending = fact;
    }
  }

  #tellSession(): void {
    if (this.#session !== undefined) this.#options.onSession(this.#session, this.#usedInSession);
  }

  #toolStarted({ id, tool, input }: Pick<Fact<'tool_started'>, 'id' | 'tool' | 'input'>): void {
    this.#calls.set(id, { tool, begun: performance.now() });
    this.#report({ kind: 'tool_call_started', call_id: id, tool, input });
  }

  #toolEnded({ id, success, output, tool = '', input = null, duration }: Fact<'tool_ended'>): void {
    if (!this.#calls.has(id)) this.#toolStarted({ id, tool, input });
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const measured = Math.round(performance.now() - (call?.begun ?? performance.now()));
    this.#report({
      kind: 'tool_call_completed',
      call_id: id,
      tool: call?.tool ?? tool,
      success,
      output,
      duration: duration ?? measured,
    });
  }

  #use(named: string, usage: Usage): void {
    const { call, provider, costOf } = this.#options;
    const model = named || (call.model.model ?? '');
    const cost = usage.cost_usd ?? costOf(model, usage);
    const priced = cost === undefined ? usage : { ...usage, cost_usd: cost };
    if (isNothing(priced)) return;
    this.#used = addUsage(this.#used, priced);
    this.#isUnchecked = true;
    this.#report({ kind: 'model_used', provider, model, usage: priced });
  }

  /** Prevents the next request after one that has crossed a budget. */
  #checkBudget(): void {
    if (!this.#isUnchecked) return;
    this.#isUnchecked = false;
    this.#options.call.checkBudget();
  }

  #meetTrouble({ message, isWaiting }: Fact<'trouble'>): void {
    this.#lastTrouble = message;
    this.#troubles += 1;
    const { title, call } = this.#options;
    if (this.#troubles <= mostTroubles) call.log(isWaiting ? 'warning' : 'info', `${title}: ${message}`);
  }

  #report(progress: Parameters<BackendCall['report']>[0]): void {
    this.#options.call.report(progress);
  }
}

const counts = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost_usd',
] as const satisfies readonly (keyof Usage)[];

/** Usage in a total beyond the part already reported; never negative. */
function beyond(total: Usage, told: Usage): Usage {
  const rest: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...total };
  for (const key of counts) {
    if (total[key] !== undefined) rest[key] = Math.max(0, total[key] - (told[key] ?? 0));
  }
  return rest;
}

function isNothing(usage: Usage): boolean {
  return usage.requests === 0 && counts.every((key) => (usage[key] ?? 0) === 0);
}
