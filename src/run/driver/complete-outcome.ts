import { nodeAttribute } from '../../graph/attributes.js';
import { explainCondition, judgeCondition } from '../../graph/evaluate-condition.js';
import { isRecord, type JsonValue } from '../../graph/json.js';
import { type KeyScope, lookUp } from '../../graph/look-up.js';
import type { ProgramNode } from '../../graph/program.js';
import { nodeTemplate } from '../../graph/templates.js';
import { explainUnreadable, type UnreadableValue, unreadableValue } from '../../graph/unreadable-value.js';
import type { OwnRules } from '../../graph/values/own-rules.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import { problemsWithWrites, simulatedWrites } from '../../graph/values/written-values.js';
import { StageCrash } from '../../handlers/handler.js';
import { readValue } from '../../handlers/stage-values.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import { failure, type Outcome, reasonOf, valuesSetBy } from '../../machine/outcome.js';
import { renderText, type ValueLookup } from '../../machine/render-template.js';
import type { AttemptStage } from './attempt-stage.js';
import { externalizedCopy } from './externalize.js';

/**
 * Applies the rules that a node has for its own outcome, between its handler and the machine: only here
 * values are whole that the context holds as artifacts (SEMANTICS 102, 103).
 */
export function completeOutcome(
  node: ProgramNode,
  stage: AttemptStage,
  outcome: Outcome,
  effect: ExecuteEffect,
): Outcome {
  const { ownRules: rules } = node;
  if (rules === undefined || outcome.status === 'retry') return outcome;
  const full = withMembers(rules, outcome, stage.isSimulated);
  const assigned = withAssigned(rules, node, stage, full);
  const written = withChecked(rules, node, assigned);
  const judged = failedBy(rules, node, stage, written, effect);
  return retriedBy(rules, node, stage, judged, effect);
}

/** Outcome with the keys of `writes` that are members of the JSON which a tool printed, and with simulated ones. */
function withMembers({ writes, printsJson }: OwnRules, outcome: Outcome, isSimulated: boolean): Outcome {
  if (writes.length === 0) return outcome;
  const updates = new Map(Object.entries(outcome.context_updates ?? {}));
  const before = updates.size;
  const scope: KeyScope = { lookup: (key) => updates.get(key) };
  if (isSimulated && outcome.status === 'success') {
    const values = simulatedWrites(writes, (key) => lookUp(key, scope) !== undefined);
    for (const [key, value] of values) updates.set(key, value);
    if (printsJson && values.size > 0 && !updates.has('tool.json'))
      updates.set('tool.json', Object.fromEntries(values));
  }
  const json = printsJson ? updates.get('tool.json') : undefined;
  if (isRecord(json)) {
    const members = new Map(Object.entries(json as Readonly<Record<string, JsonValue>>));
    for (const { key } of writes) {
      if (lookUp(key, scope) !== undefined) continue;
      const value = lookUp(key, { lookup: (name) => members.get(name) });
      if (value !== undefined) updates.set(key, value);
    }
  }
  return updates.size === before ? outcome : { ...outcome, context_updates: Object.fromEntries(updates) };
}

/** Values as an edge after the stage sees them, and whole: its own, and for a diamond the outcome that it passes on. */
function scopeAfter({ id, handler, clears }: ProgramNode, stage: AttemptStage, outcome: Outcome): KeyScope {
  const judged = handler.inheritsOutcome ? (stage.result ?? outcome) : outcome;
  const own = new Map<string, JsonValue>([
    ['outcome', judged.custom_outcome ?? judged.status],
    ...Object.entries(outcome.context_updates ?? {}),
  ]);
  if (judged.preferred_label) own.set('preferred_label', judged.preferred_label);
  return {
    result: judged,
    resultNode: judged === outcome ? id : stage.resultNode,
    stages: stage.stages,
    lookup: (key) => (own.has(key) || clears.always.includes(key) ? own.get(key) : stage.context.get(key)),
  };
}

function withAssigned(
  { assignments }: OwnRules,
  node: ProgramNode,
  stage: AttemptStage,
  outcome: Outcome,
): Outcome {
  if (assignments.length === 0 || outcome.status === 'fail') return outcome;
  const scope = scopeAfter(node, stage, outcome);
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

function renderValue(value: ValueTemplate, key: string, stage: AttemptStage, scope: KeyScope): JsonValue {
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
function warnOfCutValue(path: string, key: string, { node, log }: AttemptStage, scope: KeyScope): void {
  const cut = unreadableValue(path, lookUp(path, scope), scope);
  if (cut?.kind !== 'cut') return;
  log(
    'warning',
    `assign.${key} of "${node.id}" takes the last 64 KiB of \`${path}\`, which has ${cut.bytes} bytes; read the whole of a JSON output with output=json`,
  );
}

/** A success that lacks a key of `writes`, or has a value of another type, is a FAIL that names them (SEMANTICS 103). */
function withChecked({ writes }: OwnRules, node: ProgramNode, outcome: Outcome): Outcome {
  if (writes.length === 0 || outcome.status !== 'success') return outcome;
  const problems = problemsWithWrites(writes, valuesSetBy(outcome) ?? {});
  if (problems.length === 0) return outcome;
  const mayRetry = node.handler.retriesFailure && node.retry.maxAttempts > 1;
  return failed(
    outcome,
    `"${node.id}" did not set the keys that its \`writes\` declares: ${problems.join('; ')}`,
    mayRetry,
  );
}

/** FAIL that the rules of a node make of another outcome. */
function failed(outcome: Outcome, reason: string, retryable: boolean | undefined): Outcome {
  const { custom_outcome: _word, assigned: _assigned, ...rest } = outcome;
  const failure_category =
    retryable === undefined ? undefined : retryable ? ('retryable' as const) : ('terminal' as const);
  return {
    ...rest,
    status: 'fail',
    failure_reason: reason,
    reported: outcome.status,
    retryable,
    failure_category,
  };
}

/** Judges a success by `fail_when`, which sees what edges see (SEMANTICS 103, 110). */
function failedBy(
  { failWhen: condition }: OwnRules,
  node: ProgramNode,
  stage: AttemptStage,
  outcome: Outcome,
  effect: ExecuteEffect,
): Outcome {
  const { status } = outcome;
  if (condition === undefined || (status !== 'success' && status !== 'partial_success')) return outcome;
  const scope = stage.scopeAfter(node, externalizedCopy(outcome, effect));
  const judged = judgeCondition(condition, scope);
  if (judged === false) return outcome;
  if (judged !== true) return failed(outcome, unjudged('fail_when', node, judged), false);
  // A diamond does no work that another attempt could do better.
  const retryable = node.handler.inheritsOutcome ? false : undefined;
  if (condition.kind === 'constant' && node.handler.inheritsOutcome)
    return failed(outcome, labelOf(node, stage, outcome), retryable);
  const why =
    condition.kind === 'constant' ? 'is always true' : `holds: ${explainCondition(condition, scope)}`;
  return failed(outcome, `fail_when of "${node.id}" ${why}`, retryable);
}

/** Label of a diamond that always fails, with its values: the reason of the failure. */
function labelOf(node: ProgramNode, stage: AttemptStage, outcome: Outcome): string {
  if (!nodeAttribute(node.node, 'label')) return `"${node.id}" was reached, which always fails`;
  const scope = scopeAfter(node, stage, outcome);
  const lookup: ValueLookup = (path) =>
    readValue({ node: stage.node, log: stage.log }, path, scope, 'an empty text');
  return renderText(nodeTemplate(node.node, 'label'), lookup);
}

/** Decides by `retry_when` whether a FAIL may be retried, unless its stage itself has said so. */
function retriedBy(
  { retryWhen: condition }: OwnRules,
  node: ProgramNode,
  stage: AttemptStage,
  outcome: Outcome,
  effect: ExecuteEffect,
): Outcome {
  if (condition === undefined || outcome.status !== 'fail') return outcome;
  const judged = judgeCondition(condition, stage.scopeAfter(node, externalizedCopy(outcome, effect)));
  if (judged === true) return { ...outcome, retryable: true, failure_category: 'retryable' };
  if (judged === false) return { ...outcome, retryable: outcome.retryable ?? false };
  const reason = `${reasonOf(outcome)}; ${unjudged('retry_when', node, judged)}`;
  return { ...outcome, failure_reason: reason, retryable: false, failure_category: 'terminal' };
}

function unjudged(name: string, { id }: ProgramNode, value: UnreadableValue): string {
  return `${name} of "${id}" cannot be judged: ${explainUnreadable(value)}`;
}
