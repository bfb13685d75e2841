import type { Context } from '../../handlers/context.js';
import type { Stage } from '../../handlers/handler.js';
import type { Exchange } from './exchange.js';
import type { Replay } from './replay.js';
import { forAges } from './replay-order.js';
import { thrownAgain } from './thrown.js';

/** What an exchange is played back to. */
export interface Listener
  extends Pick<Stage, 'report' | 'checkBudget' | 'ask' | 'log' | 'writeFile' | 'sleep'> {
  readonly signal: AbortSignal;
  readonly context: Context;
  readonly stageDirectory: string;
  makeStageDirectory(): void;
}

/**
 * Does again what the other side did, as long as it took then by the clock of the replay.
 * @returns what came back, unless it was thrown
 */
export async function playExchange(exchange: Exchange, replay: Replay, listener: Listener): Promise<unknown> {
  const { reply, context_updates = [], status_file } = exchange;
  let elapsed = 0;
  const wait = async (until: number): Promise<void> => {
    if (until <= elapsed) return;
    await listener.sleep(until - elapsed);
    elapsed = until;
  };
  for (const act of exchange.acts) {
    await wait(act.at);
    await perform(act, listener);
  }
  if (reply.kind === 'threw' && reply.thrown.kind === 'stopped')
    return untilStopped(exchange, replay, listener);
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

async function perform(act: Exchange['acts'][number], listener: Listener): Promise<void> {
  switch (act.kind) {
    case 'progress':
      return listener.report(act.progress);
    case 'budget':
      return listener.checkBudget();
    case 'log':
      return listener.log(act.level, act.message);
    case 'file':
      return listener.writeFile(act.name, act.text);
    case 'question':
      await Promise.all(act.drafts.map((draft) => listener.ask(draft)));
  }
}

/** Nobody heard of it again, so that it goes on until it is stopped now, too. */
async function untilStopped(
  exchange: Exchange,
  replay: Replay,
  { sleep }: Pick<Listener, 'sleep'>,
): Promise<never> {
  await sleep(forAges);
  throw replay.notStopped(exchange);
}
