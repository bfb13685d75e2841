import type { ConditionScope } from '../graph/evaluate-condition.js';
import type { AttributeMap } from '../graph/graph.js';
import type { JsonValue } from '../graph/json.js';
import { type Outcome, valuesSetBy } from './outcome.js';
import { type PersistentMap, persistentMap } from './persistent.js';
import { stagesSeenBy } from './seen-stages.js';
import type { Cursor } from './state.js';

type Values = PersistentMap<string, JsonValue>;

/**
 * Context of a new run (§3.1, SEMANTICS 72, 97): every graph attribute as `graph.<key>`, every input as
 * `inputs.<key>` and as `<key>`. Durations are kept as text.
 */
export function initialContext(
  attributes: AttributeMap,
  inputs: Readonly<Record<string, JsonValue>>,
): Values {
  const mirrored = persistentMap<string, JsonValue>().withMutations((values) => {
    values.set('graph.goal', '');
    values.set('internal.restart_count', 0);
    for (const { name, value } of attributes.values()) {
      values.set(`graph.${name}`, typeof value === 'object' ? value.text : value);
    }
  });
  return addInputs(mirrored, inputs);
}

/** Adds every input as `inputs.<key>` and as `<key>` (SEMANTICS 97). */
export function addInputs(context: Values, inputs: Readonly<Record<string, JsonValue>>): Values {
  return context.withMutations((values) => {
    for (const [key, value] of Object.entries(inputs)) {
      values.set(`inputs.${key}`, value);
      values.set(key, value);
    }
  });
}

/**
 * Context after a stage (§3.2 step 4): its updates, then `outcome` and, if it chose one, `preferred_label`.
 * @param inherits a diamond leaves `outcome` and `preferred_label` as they were (SEMANTICS 21)
 */
export function mergeOutcome(context: Values, outcome: Outcome, inherits: boolean): Values {
  const { preferred_label: label } = outcome;
  const updates = valuesSetBy(outcome);
  const merged = updates === undefined ? context : withUpdates(context, updates);
  if (inherits) return merged;
  const word = outcome.custom_outcome ?? outcome.status;
  const routed = merged.get('outcome') === word ? merged : merged.set('outcome', word);
  return label ? routed.set('preferred_label', label) : routed;
}

export function withUpdates(context: Values, updates: Readonly<Record<string, JsonValue>>): Values {
  return context.withMutations((values) => {
    for (const [key, value] of Object.entries(updates)) values.set(key, value);
  });
}

/**
 * Scope of a condition (§10.4): the outcome that routes, the context after it was merged (SEMANTICS 44i, 69), and the stages
 * that the cursor sees.
 */
export function conditionScope(
  cursor: Pick<Cursor, 'context' | 'routedFrom' | 'stages' | 'branchStages'>,
  outcome: Outcome,
): ConditionScope {
  const { context, routedFrom } = cursor;
  return {
    outcome: outcome.custom_outcome ?? outcome.status,
    preferredLabel: outcome.preferred_label ?? '',
    result: outcome,
    resultNode: routedFrom,
    stages: stagesSeenBy(cursor),
    lookup: (key) => context.get(key),
  };
}
