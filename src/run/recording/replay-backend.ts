import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../graph/queries.js';
import type { BackendReply, CodergenBackend } from '../../handlers/codergen-backend.js';
import type { Outcome } from '../../machine/outcome.js';
import { playExchange } from './play-exchange.js';
import { attemptOf, backendRequest } from './recording-backend.js';
import type { Replay } from './replay.js';

/** Answers as the backend of a recorded run did, and asks nobody. */
export function replayBackend(replay: Replay): CodergenBackend {
  const builtIn = knownHandlerTypes();
  return {
    async run(node, prompt, context, call) {
      const attempt = attemptOf(node, call);
      // How often a manager steers its child, and what it sees of it then, hangs on time.
      const isSteering = handlerTypeOf(call.graph, node, builtIn).type === 'stack.manager_loop';
      const exchange = isSteering
        ? replay.beginLoosely(attempt)
        : replay.begin(attempt, backendRequest(prompt, call));
      if (exchange === undefined) return '';
      return (await playExchange(exchange, replay, { ...call, context })) as string | Outcome | BackendReply;
    },
  };
}
