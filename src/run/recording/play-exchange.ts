import type { Context } from '../../handlers/context.js';
import type { Stage } from '../../handlers/handler.js';
import type { Exchange, ExchangeAct } from './exchange.js';
import type { Replay } from './replay.js';
import { forAges } from './replay-order.js';
import { thrownAgain } from './thrown.js';

/** Stage for which an exchange is played back. */
export interface Listener
  extends Pick<Stage, 'report' | 'checkBudget' | 'ask' | 'log' | 'writeFile' | 'sleep'> {
  readonly signal: AbortSignal;
  readonly context: Context;
  readonly stageDirectory: string;
  makeStageDirectory(): void;
}

/**
 * Repeats the acts of an exchange, with their original durations by the clock of the replay.
 * @returns the reply, unless it was thrown
 */
export async function playExchange(exchange: Exchange, replay: Replay, listener: Listener): Promise<unknown> {
  const { reply, context_updates = [], status_file } = exchange;
  let elapsed = 0;
  const wait = async (until: number): Promise<void> => {
    if (until <= elapsed) return;
    await listener.sleep(until - elapsed);
    elapsed = until;
  };
  const isStopped = reply.kind === 'threw' && reply.thrown.kind === 'stopped';
  if (isStopped) return untilStopped(exchange, replay, listener, wait);
  for (const act of exchange.acts) {
    await wait(act.at);
    await perform(act, listener);
  }
  await wait(exchange.duration);
  for (const [key, value] of context_updates) listener.context.set(key, value);
  if (status_file !== undefined) {
    listener.makeStageDirectory();
    replay.fileSystem.writeFile(`${listener.stageDirectory}/status.json`, status_file);
  }
  switch (reply.kind) {
    case 'returned':
      return reply.value;
    case 'threw':
      if (reply.thrown.kind === 'stopped') return undefined;
      throw thrownAgain(reply.thrown);
    case 'tool_ended':
    case 'no_directory':
      return undefined;
  }
}

async function perform(act: ExchangeAct, listener: Listener): Promise<void> {
  if (act.kind === 'budget') return listener.checkBudget();
  if (act.kind === 'question') await Promise.all(act.drafts.map((draft) => listener.ask(draft)));
  else tell(act, listener);
}

/** Performs an act that needs no answer. */
function tell(act: ExchangeAct, listener: Listener): void {
  switch (act.kind) {
    case 'progress':
      return listener.report(act.progress);
    case 'log':
      return listener.log(act.level, act.message);
    case 'file':
      return listener.writeFile(act.name, act.text);
    case 'budget':
    case 'question':
  }
}

/** Repeats the acts until it was stopped, and continues until it is stopped now, too. */
async function untilStopped(
  exchange: Exchange,
  replay: Replay,
  listener: Listener,
  wait: (until: number) => Promise<void>,
): Promise<never> {
  const { acts, duration, reply } = exchange;
  const lateEntries =
    reply.kind === 'threw' && reply.thrown.kind === 'stopped' ? (reply.thrown.late ?? []) : [];
  const left = [...acts];
  try {
    for (let act = left[0]; act !== undefined; act = left[0]) {
      await wait(act.at);
      left.shift();
      await perform(act, listener);
    }
    await wait(duration);
    replay.stopsIn(exchange);
    await listener.sleep(forAges);
  } catch (error) {
    // It was stopped after all of them then, so all of them are repeated now.
    if (listener.signal.aborted) for (const act of [...left, ...lateEntries]) tell(act, listener);
    throw error;
  }
  throw replay.notStopped(exchange);
}
