import type { Handler, Stage } from '../../handlers/handler.js';
import type { Outcome } from '../../machine/outcome.js';
import type { ExchangeName } from './exchange.js';
import { playExchange } from './play-exchange.js';
import { stageAttempt } from './recording-tools.js';
import type { Replay } from './replay.js';
import { forAges } from './replay-order.js';
import { listenerOf } from './replay-tools.js';
import { attemptKey } from './settled-attempts.js';

/** Replaces a foreign handler: repeats the calls of the stage that it made in a recorded run. */
export function replayHandler(type: string, handler: Handler, replay: Replay): Handler {
  if (handler.fansOut || handler.isSimulated) return handler;
  return {
    ...handler,
    async execute(stage) {
      const exchange = replay.begin(stageAttempt(stage), { kind: 'handler', type });
      return (await playExchange(exchange, replay, listenerOf(stage))) as Outcome | undefined;
    },
  };
}

/**
 * Delays the outcome of a handler until its turn, and prevents it after a divergence: then nothing more can
 * be played back.
 */
export function inRecordedOrder(handler: Handler, replay: Replay): Handler {
  if (handler.fansOut) return handler;
  return {
    ...handler,
    execute(stage) {
      replay.watch.check();
      const result = handler.execute(stage);
      if (result instanceof Promise) return inTurn(result, stage, replay);
      const key = keyOf(stage, replay);
      replay.checkEnd(stage.node.id);
      replay.settles(key);
      return result;
    },
  };
}

async function inTurn<Result>(work: Promise<Result>, stage: Stage, replay: Replay): Promise<Result> {
  try {
    return await work;
  } finally {
    const key = keyOf(stage, replay);
    if (replay.recorded.wasGivenUp(key)) await untilStopped(stage, replay);
    if (!stage.signal.aborted) await replay.order.pass(key, stage.signal, stage.sleep);
    replay.watch.check();
    replay.settles(key);
  }
}

/** Waits until a stage is stopped, as then: what came of it before must not count now. */
async function untilStopped(stage: Stage, replay: Replay): Promise<void> {
  if (!stage.signal.aborted) await stage.sleep(forAges).catch(() => undefined);
  if (!stage.signal.aborted) throw replay.notStopped(nameOf(stage, replay));
}

function keyOf(stage: Stage, replay: Replay): string {
  return attemptKey(nameOf(stage, replay));
}

function nameOf(stage: Stage, replay: Replay): Omit<ExchangeName, 'call'> {
  const { nodeId, logsRoot, ...attempt } = stageAttempt(stage);
  return { place: replay.placeOf(logsRoot), node_id: nodeId, ...attempt };
}
