import type { ConditionScope } from '../graph/evaluate-condition.js';
import type { ProgramNode } from '../graph/program.js';
import { unreadableChoice } from '../graph/select-edge.js';
import { explainUnreadable } from '../graph/unreadable-value.js';
import type { SeenStages } from '../graph/values/seen-stages.js';
import { conditionScope } from './context.js';
import { type Outcome, reasonOf, valuesSetBy } from './outcome.js';
import { settledStage, stagesSeenBy } from './seen-stages.js';
import type { Cursor } from './state.js';

/**
 * Outcome with which a visit ends: a FAIL if the route depends on a value of which the context has only a
 * part, since a condition on it neither holds nor fails (SEMANTICS 110).
 */
export function routableOutcome(cursor: Cursor, node: ProgramNode, outcome: Outcome): Outcome {
  if (!node.routesByValues) return outcome;
  const value = unreadableChoice(node.edges, scopeAfter(cursor, node, outcome));
  if (value === undefined) return outcome;
  const because = `"${node.id}" cannot be routed: ${explainUnreadable(value)}`;
  const { custom_outcome: _word, assigned: _assigned, ...rest } = outcome;
  return {
    ...rest,
    status: 'fail',
    failure_reason: outcome.status === 'fail' ? `${reasonOf(outcome)}; ${because}` : because,
    retryable: false,
    failure_category: 'terminal',
  };
}

/** Scope of the conditions on the edges of a node, once its stage has settled with an outcome. */
export function scopeAfter(cursor: Cursor, node: ProgramNode, outcome: Outcome): ConditionScope {
  const inherits = node.handler.inheritsOutcome === true && outcome.status !== 'fail';
  const routed = inherits ? (cursor.routedOutcome ?? outcome) : outcome;
  const updates = valuesSetBy(outcome) ?? {};
  return {
    ...conditionScope(cursor, routed),
    resultNode: inherits ? cursor.routedFrom : node.id,
    stages: seenAfter(cursor, routed),
    lookup: (key: string) =>
      Object.hasOwn(updates, key) || node.clears.always.includes(key)
        ? updates[key]
        : cursor.context.get(key),
  };
}

/** Stages that a cursor sees once its own one has settled. */
function seenAfter(cursor: Cursor, outcome: Outcome): SeenStages {
  const seen = stagesSeenBy(cursor);
  const own = settledStage(cursor, outcome);
  return { get: (id, branch) => (id === cursor.nodeId && branch === undefined ? own : seen.get(id, branch)) };
}
