import type { BackendCall } from '../../handlers/codergen-backend.js';
import { noUsage, type Usage } from '../../machine/usage.js';
import type { Connections } from '../ai/model-fetch.js';
import type { Repetitions } from '../ai/repeat-request.js';
import type { RequestError } from '../ai/request-error.js';
import { shortReason } from '../ai/request-failures.js';
import { costOf, type Prices, priceOf } from '../prices.js';
import type { GatewayRoute } from './agent-gateway.js';
import type { WireMeter } from './wire-meter.js';

/** What a stage gives the requests of its agent. */
export interface GatewayStageOptions {
  readonly call: Pick<BackendCall, 'report' | 'checkBudget' | 'log' | 'sleep'>;
  /** Name of the agent for people. */
  readonly title: string;
  readonly connections: Connections;
  readonly repetitions: Repetitions;
  readonly prices: Prices;
}

/** Failed request that is repeated. */
interface RepeatedRequest {
  readonly provider: string;
  readonly model: string;
  /** Milliseconds. */
  readonly delay: number;
  /** Number of requests so far. */
  readonly requests: number;
}

/** The stage whose agent makes the requests: its budgets, its usage, and its end. */
export class GatewayStage {
  readonly #options: GatewayStageOptions;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  /** Counts of the replies that are passing. */
  readonly #counts = new Set<() => void>();
  readonly #uncounted = new Set<string>();
  #isMetering = false;
  #pauses = 0;
  /** True once a reply was of a model without a known price. */
  #isUnpriced = false;
  /** US dollars that the stage has reported, and those that the agent has reported so far. */
  #reportedCost = 0;
  #toldCost = 0;

  constructor(options: GatewayStageOptions) {
    this.#options = options;
  }

  get connections(): Connections {
    return this.#options.connections;
  }

  get repetitions(): Repetitions {
    return this.#options.repetitions;
  }

  /** Aborted when the stage is over: nobody waits for replies any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborted with the reason why the agent must be stopped. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** True once a reply of a model has passed: then the agent's own figures do not count. */
  get isMetering(): boolean {
    return this.#isMetering;
  }

  /** True while a request waits for its repetition: the agent is silent for a good reason. */
  get isPausing(): boolean {
    return this.#pauses > 0;
  }

  /**
   * Part of the cost reported by the agent that the stage has not reported yet, in US dollars: if the price of a model is not known, the
   * agent may know it.
   */
  costBeyond(told = 0): number {
    this.#toldCost += told;
    const beyond = this.#isUnpriced ? Math.max(0, this.#toldCost - this.#reportedCost) : 0;
    this.#reportedCost += beyond;
    return beyond;
  }

  /** False if a budget is used up, or the stage ends for another reason; then no request is made (SEMANTICS 126). */
  mayAsk(): boolean {
    if (this.#ending.signal.aborted) return false;
    try {
      this.#options.call.checkBudget();
      return true;
    } catch (error) {
      this.end(error);
      return false;
    }
  }

  /** Ends the stage for this reason. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** Reports a pause before a repetition, and waits. */
  async pause(
    error: RequestError,
    { provider, model, delay, requests }: RepeatedRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { call, repetitions } = this.#options;
    call.report({
      kind: 'request_retrying',
      provider,
      model,
      reason: shortReason(error.failure),
      error: error.message,
      delay,
      request_attempt: requests + 1,
      request_attempts: repetitions.retries + 1,
      discards_text: false,
    });
    this.#pauses += 1;
    await call.sleep(delay, signal).finally(() => {
      this.#pauses -= 1;
    });
  }

  /** @returns a function that reports the usage of a reply, once, whenever it is called first */
  beginCount(route: GatewayRoute, asked: string, meter: WireMeter): () => void {
    this.#isMetering = true;
    const count = (): void => {
      if (!this.#counts.delete(count)) return;
      const usage = meter.usage ?? this.#unknownUsage(asked, meter);
      if (usage !== undefined) this.#report(route.provider, asked, meter.model, usage);
    };
    this.#counts.add(count);
    return count;
  }

  /** Called when the agent is gone: what has passed of its last replies counts, too. */
  close(): void {
    for (const count of this.#counts) count();
    this.#over.abort(new Error('the stage is over'));
  }

  /** A whole reply without usage is a request all the same; of one that broke off nothing is known. */
  #unknownUsage(asked: string, { isComplete }: WireMeter): Usage | undefined {
    if (!isComplete) return undefined;
    const { call, title } = this.#options;
    if (!this.#uncounted.has(asked)) {
      this.#uncounted.add(asked);
      const model = asked === '' ? 'its model' : asked;
      call.log(
        'warning',
        `${title}: the replies of ${model} do not say what they used, so it is not counted`,
      );
    }
    return { ...noUsage, requests: 1 };
  }

  #report(provider: string, asked: string, answering: string | undefined, usage: Usage): void {
    const { call, prices } = this.#options;
    // A proxy may know the model by a name of its own.
    const names = [asked, answering ?? ''].filter((name) => name !== '');
    const model = names.find((name) => priceOf({ provider, model: name }, prices)) ?? names[0] ?? '';
    const price = priceOf({ provider, model }, prices);
    const cost_usd = price && costOf(usage, price);
    this.#isUnpriced ||= cost_usd === undefined;
    this.#reportedCost += cost_usd ?? 0;
    call.report({ kind: 'model_used', provider, model, usage: { ...usage, cost_usd } });
  }
}
