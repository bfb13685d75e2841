import { onAbort } from '../../abort/abort.js';
import type { JsonValue } from '../../graph/json.js';
import type { Context } from '../../handlers/context.js';
import type { Progress } from '../../machine/progress.js';
import { stopGraceMs } from '../driver/stop-grace.js';
import type { Exchange, ExchangeAct, ExchangeName, ExchangeReply, ExchangeRequest } from './exchange.js';
import type { Attempt, Recorder } from './recorder.js';
import { recordThrown } from './thrown.js';

type Timed<Act> = Act extends unknown ? Omit<Act, 'at'> : never;

/** Exchange under way: its answers are collected, and written once, when all are there. */
export class BegunExchange {
  readonly #recorder: Recorder;
  readonly #name: ExchangeName;
  readonly #request: ExchangeRequest;
  readonly #context: Context;
  readonly #updatesBefore: ReadonlyMap<string, JsonValue>;
  readonly #startedAt: number;
  readonly #acts: ExchangeAct[] = [];
  /** Acts after it had been stopped. */
  readonly #late: ExchangeAct[] = [];
  #isOver = false;
  #stoppedAt: number | undefined;
  /** Reason why it could not be written when it was stopped. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(recorder: Recorder, attempt: Attempt, request: ExchangeRequest, context: Context) {
    this.#recorder = recorder;
    this.#name = recorder.begin(attempt);
    this.#request = request;
    this.#context = context;
    this.#updatesBefore = new Map(context.updates);
    this.#startedAt = recorder.now();
  }

  act(act: Timed<ExchangeAct>): void {
    if (!this.#isOver) return this.#note(act, this.#acts);
    if (this.#isStopping() && (act.kind === 'progress' || act.kind === 'log' || act.kind === 'file'))
      this.#note(act, this.#late);
  }

  /** @throws RunError `storage` */
  end(reply: ExchangeReply, statusFile?: string): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
    if (!this.#isOver) {
      this.#isOver = true;
      this.#append(reply, statusFile);
    } else if (this.#late.length > 0) {
      // Replaces the line that was written when it was stopped.
      this.#append({ kind: 'threw', thrown: { kind: 'stopped', late: this.#late.splice(0) } });
    }
  }

  /** True if it was stopped, and not given up yet. */
  #isStopping(): boolean {
    return this.#stoppedAt !== undefined && this.#recorder.now() - this.#stoppedAt < stopGraceMs;
  }

  #note(act: Timed<ExchangeAct>, acts: ExchangeAct[]): void {
    const last = acts.at(-1);
    const joined = last === undefined ? undefined : joinedText(last, act);
    if (joined !== undefined) acts.splice(-1, 1, joined);
    else acts.push({ ...act, at: this.#recorder.now() - this.#startedAt } as ExchangeAct);
  }

  #append(reply: ExchangeReply, statusFile?: string): void {
    const updates = [...this.#context.updates].filter(
      ([key, value]) => this.#updatesBefore.get(key) !== value,
    );
    const exchange: Omit<Exchange, 'kind' | 'session'> = {
      ...this.#name,
      request: this.#request,
      acts: this.#acts,
      reply,
      context_updates: updates.length > 0 ? updates : undefined,
      status_file: statusFile,
      duration: (this.#stoppedAt ?? this.#recorder.now()) - this.#startedAt,
    };
    this.#recorder.append(exchange);
  }

  threw(error: unknown, statusFile?: string): void {
    this.end({ kind: 'threw', thrown: recordThrown(error) }, statusFile);
  }

  /**
   * Ends the exchange when it is stopped: it may never return, and its answer is then not awaited; its acts
   * before it is given up still count. An error here would be uncaught, so `end` throws it later.
   */
  endWhenStopped(signal: AbortSignal): () => void {
    const stopped = (): void => {
      try {
        this.#stoppedAt = this.#recorder.now();
        this.end({ kind: 'threw', thrown: { kind: 'stopped' } });
      } catch (error) {
        this.#failure ??= { cause: error };
      }
    };
    return onAbort(signal, stopped);
  }
}

/** Joins pieces of text: their number may be large, and their cuts do not matter (`ProgressReporter`). */
function joinedText(last: ExchangeAct, next: Timed<ExchangeAct>): ExchangeAct | undefined {
  if (last.kind !== 'progress' || next.kind !== 'progress') return undefined;
  const [before, after]: readonly Progress[] = [last.progress, next.progress];
  if (before?.kind !== 'text' || after?.kind !== 'text' || before.channel !== after.channel) return undefined;
  return { ...last, progress: { ...before, text: before.text + after.text } };
}

/** Returned value as JSON; anything that JSON cannot hold is lost. */
export function returned(value: unknown): ExchangeReply {
  if (value === undefined) return { kind: 'returned' };
  try {
    const text = JSON.stringify(value);
    return text === undefined
      ? { kind: 'returned', value: String(value) }
      : { kind: 'returned', value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { kind: 'threw', thrown: recordThrown(error) };
  }
}
