import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../graph/queries.js';
import type { BackendReply, CodergenBackend } from '../../handlers/codergen-backend.js';
import type { Outcome } from '../../machine/outcome.js';
import { playExchange } from './play-exchange.js';
import { attemptOf, backendRequest } from './recording-backend.js';
import type { Replay } from './replay.js';

/** Backend that repeats the answers of a recorded run, and asks no model. */
export function replayBackend(replay: Replay): CodergenBackend {
  const builtIn = knownHandlerTypes();
  return {
    readsFiles: (node, call) => replay.mayBegin(attemptOf(node, call)),
    async run(node, prompt, context, call) {
      const attempt = attemptOf(node, call);
      // The number of steering prompts, and the telemetry in them, depend on time.
      const isSteering = handlerTypeOf(call.graph, node, builtIn).type === 'stack.manager_loop';
      const exchange = isSteering
        ? replay.beginLoosely(attempt)
        : replay.begin(attempt, backendRequest(prompt, call));
      if (exchange === undefined) return '';
      return (await playExchange(exchange, replay, { ...call, context })) as string | Outcome | BackendReply;
    },
  };
}
