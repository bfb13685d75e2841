import type { JsonValue } from '../../graph/json.js';
import { type KeyScope, lookUp } from '../../graph/look-up.js';
import type { ProgramNode } from '../../graph/program.js';
import { unreadableValue } from '../../graph/unreadable-value.js';
import type { OwnRules } from '../../graph/values/own-rules.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import { StageCrash } from '../../handlers/handler.js';
import { readValue, type StageOfValues } from '../../handlers/stage-values.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { renderText, type ValueLookup } from '../../machine/render-template.js';

/**
 * Applies the rules that a node has for its own outcome, between its handler and the machine: only here
 * values are whole that the context holds as artifacts (SEMANTICS 102).
 */
export function completeOutcome(node: ProgramNode, stage: StageOfValues, outcome: Outcome): Outcome {
  const { ownRules: rules } = node;
  if (rules === undefined || outcome.status === 'retry' || outcome.status === 'fail') return outcome;
  return withAssigned(rules, stage, outcome, scopeAfter(node, stage, outcome));
}

/** Values as an edge after the stage sees them: its own updates, and for a diamond the outcome that it passes on. */
function scopeAfter({ id, handler }: ProgramNode, stage: StageOfValues, outcome: Outcome): KeyScope {
  const judged = handler.inheritsOutcome ? (stage.result ?? outcome) : outcome;
  const updates = outcome.context_updates ?? {};
  const own = new Map<string, JsonValue>([
    ['outcome', judged.custom_outcome ?? judged.status],
    ...Object.entries(updates),
  ]);
  if (judged.preferred_label) own.set('preferred_label', judged.preferred_label);
  return {
    result: judged,
    resultNode: judged === outcome ? id : stage.resultNode,
    stages: stage.stages,
    lookup: (key) => (own.has(key) ? own.get(key) : stage.context.get(key)),
  };
}

function withAssigned(
  { assignments }: OwnRules,
  stage: StageOfValues,
  outcome: Outcome,
  scope: KeyScope,
): Outcome {
  if (assignments.length === 0) return outcome;
  try {
    const values = assignments.map(({ key, value }): [string, JsonValue] => [
      key,
      renderValue(value, key, stage, scope),
    ]);
    return { ...outcome, assigned: Object.fromEntries(values) };
  } catch (error) {
    if (!(error instanceof StageCrash)) throw error;
    const { failure_reason: reason = '', retryable, failure_category } = error.outcome;
    return failure(reason, { retryable, failure_category, context_updates: outcome.context_updates });
  }
}

function renderValue(value: ValueTemplate, key: string, stage: StageOfValues, scope: KeyScope): JsonValue {
  switch (value.kind) {
    case 'constant':
      return value.value;
    case 'text':
      return textOrValue(value, (path) => {
        warnOfCutValue(path, key, stage, scope);
        return readValue(stage, path, scope, value.isWhole ? 'null' : 'an empty text');
      });
    case 'list':
      return value.items.map((item) => renderValue(item, key, stage, scope));
    case 'map':
      return Object.fromEntries(
        value.members.map(([name, member]) => [name, renderValue(member, key, stage, scope)]),
      );
  }
}

function textOrValue(
  { template, isWhole }: Extract<ValueTemplate, { kind: 'text' }>,
  lookup: ValueLookup,
): JsonValue {
  const [part] = template.parts;
  return isWhole && part?.kind === 'value' ? (lookup(part.path) ?? null) : renderText(template, lookup);
}

/** A part of a value would be passed on as if it were all of it. */
function warnOfCutValue(path: string, key: string, { node, log }: StageOfValues, scope: KeyScope): void {
  const cut = unreadableValue(path, lookUp(path, scope), scope);
  if (cut?.kind !== 'cut') return;
  log(
    'warning',
    `assign.${key} of "${node.id}" takes the last 64 KiB of \`${path}\`, which has ${cut.bytes} bytes; read the whole of a JSON output with output=json`,
  );
}
