import { type HandlerType, handlerTypeOrCustom } from '../../graph/handler-types.js';
import type { Handler, Stage } from '../../handlers/handler.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import type { HandlerRegistry } from '../../run/driver/handler-registry.js';
import { howAllowed, mayRunCommands, type PolicedRun } from './policed-run.js';
import { stageRefusals } from './stage-refusals.js';

/**
 * Handlers of a run under the policy of the server (§9.5): a stage that may not run fails for good, with
 * the reason, whatever its origin. Posted pipelines were judged before; this also covers others, such as
 * the stages of a run that was begun elsewhere.
 */
export function policedHandlers(registry: HandlerRegistry, run: PolicedRun): HandlerRegistry {
  if (mayRunCommands(run)) return registry;
  return registry.guardedBy((type, handler) => {
    const row = handlerTypeOrCustom(type);
    return row.harmless ? handler : guarded(row, handler, run);
  });
}

function guarded(row: HandlerType, handler: Handler, run: PolicedRun): Handler {
  return { ...handler, execute: (stage) => refusal(stage, row, run) ?? handler.execute(stage) };
}

function refusal({ graph, node }: Stage, row: HandlerType, run: PolicedRun): Outcome | undefined {
  const [first] = stageRefusals(graph, node, row, run);
  if (first === undefined) return undefined;
  return failure(`${first.problem}, and ${howAllowed(run)}`, {
    retryable: false,
    failure_category: 'terminal',
  });
}
