import type { ProgramNode } from '../../graph/program.js';
import { failureOfError } from '../../handlers/error-category.js';
import { type FoundItems, foreachItems } from '../../handlers/foreach-items.js';
import { type Handler, StageCrash } from '../../handlers/handler.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { InputBody } from '../../machine/input.js';
import { knownItems } from '../../machine/parallel.js';
import { cursorNamed } from '../../machine/state.js';
import { AttemptStage, type StageHost } from './attempt-stage.js';
import { externalizeItems } from './externalize.js';

/**
 * Input that begins the branches of a parallel node. Under `foreach` it has the items, which are read here,
 * where artifacts are; without a list the node fails (SEMANTICS 106).
 */
export function fanOutInput(
  host: StageHost,
  effect: ExecuteEffect,
  node: ProgramNode,
  handler: Handler,
  commit?: string,
): InputBody {
  const { cursor, index, attempt } = effect;
  const state = host.state();
  const foreach = node.parallel?.foreach;
  const begin = { kind: 'fan_out', cursor, index, attempt, commit } as const;
  if (foreach === undefined || knownItems(cursorNamed(state, cursor)) !== undefined) return begin;
  const { artifacts, settings } = host.ports;
  const simulates = settings.simulate === true || handler.isSimulated === true;
  const stage = new AttemptStage(host, state, effect, node, handler);
  const found = readItems(() => foreachItems(stage, foreach, simulates));
  stage.close();
  if (found.kind === 'failed')
    return { kind: 'stage_settled', cursor, index, attempt, outcome: found.outcome };
  const items = externalizeItems(found.items, effect, artifacts);
  // An artifact is on the disk before an event names it.
  if (items[0] !== found.items) artifacts.sync();
  return { ...begin, items };
}

/** Items of a list; a list whose file or artifact is lost fails the node. */
function readItems(read: () => FoundItems): FoundItems {
  try {
    return read();
  } catch (error) {
    const outcome = error instanceof StageCrash ? error.outcome : failureOfError(error);
    return { kind: 'failed', outcome };
  }
}
