import { type ConditionScope, evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import { lookUp, textOfValue } from '../../graph/look-up.js';
import type { ProgramNode } from '../../graph/program.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import type { EngineValues } from './engine-keys.js';
import { resultsKey } from './flow-forks.js';
import type { FlowKeys } from './flow-keys.js';
import { type FlowState, type FlowValues, type Said, withEntry } from './flow-state.js';
import { routedKey } from './routed-node.js';
import type { StageChoice } from './stage-choices.js';

/** Outcome and values of a visit after what its node assigns and judges. */
export interface Judged {
  readonly own: Said;
  readonly values: FlowValues;
  /** Values that the visit has set. */
  readonly set: FlowValues;
}

/** Facts that a search has about a program, besides the state of a run. */
export interface Knowledge {
  readonly keys: FlowKeys;
  readonly engine: EngineValues;
  /** True if what is not followed is taken in every way. */
  readonly isFree: boolean;
}

/**
 * Applies the own rules of a node to what its stage says (SEMANTICS 102, 103).
 * @param taken values in place of those that are not followed
 */
export function judged(
  node: ProgramNode,
  state: FlowState,
  choice: StageChoice,
  { keys, engine }: Knowledge,
  taken: ReadonlyMap<string, JsonValue> = nothing,
): Judged {
  const { updates } = choice;
  let values = updates.size > 0 ? new Map([...state.values, ...updates]) : state.values;
  if (node.handler.joins && values.has(resultsKey)) {
    // A fan-in uses up the results (SEMANTICS 53a).
    values = new Map([...values].filter(([key]) => key !== resultsKey));
  }
  const rules = node.ownRules;
  if (rules === undefined || choice.status === 'fail') return { own: choice, values, set: updates };
  const before = values;
  const assigned = rules.assignments.filter(({ key }) => keys.values.has(key));
  const set = assigned.map(({ key, value }) => [key, taken.get(key) ?? rendered(value, before)] as const);
  for (const [key, value] of set) values = withEntry(values, key, value);
  const success: Judged = {
    own: choice,
    values,
    set: set.length === 0 ? updates : new Map([...updates, ...set]),
  };
  if (rules.failWhen === undefined || (choice.status !== 'success' && choice.status !== 'partial_success'))
    return success;
  const routed = node.handler.inheritsOutcome ? state.arriving : choice;
  const settled = engine.settled(values, node.id, routed);
  const seen = node.handler.inheritsOutcome ? settled : engine.routed(settled, node.id, false);
  if (!evaluateCondition(rules.failWhen, scopeOf(routed, seen))) return success;
  return { own: { ...choice, status: 'fail' }, values: before, set: updates };
}

const nothing: ReadonlyMap<string, JsonValue> = new Map();

/** Scope of conditions after an outcome. */
export function scopeOf(routed: Said, values: FlowValues): ConditionScope {
  return {
    outcome: routed.status,
    preferredLabel: routed.preferred_label ?? '',
    result: routed,
    resultNode: values.get(routedKey) as string | undefined,
    lookup: (key) => values.get(key),
  };
}

function rendered(value: ValueTemplate, values: FlowValues): JsonValue {
  if (value.kind === 'constant') return value.value;
  if (value.kind !== 'text') return null;
  const parts = value.template.parts.map((part) =>
    part.kind === 'value' ? (lookUp(part.path, { lookup: (key) => values.get(key) }) ?? null) : part.text,
  );
  const [only = null] = parts;
  return value.isWhole ? only : parts.map((part) => textOfValue(part ?? undefined)).join('');
}
