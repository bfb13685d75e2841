import type { Program, ProgramNode } from '../graph/program.js';
import { finalStatuses } from '../graph/properties/stage-events.js';
import type { ValueTemplate } from '../graph/values/value-template.js';
import type { FlowKeys } from '../lint/flow/flow-keys.js';
import type { Condition } from '../parser/condition/ast.js';
import { clausesOf } from '../parser/condition/clauses-of.js';

/**
 * Reason why the search does not know all that can follow a node: then nothing can be proved about the runs that come there. Undefined for
 * a node that it follows.
 */
export function whyNotFollowed(node: ProgramNode, keys: FlowKeys): string | undefined {
  const { id, edges, ownRules, parallel } = node;
  if (parallel?.foreach !== undefined)
    return `"${id}" runs a branch for each item of a list, whose length is not known`;
  if (parallel !== undefined && node.timeout !== undefined)
    return `"${id}" stops its branches after its \`timeout\`, wherever they are`;
  if (ownRules?.retryWhen !== undefined) return `\`retry_when\` of "${id}" decides about another attempt`;
  if (parallel !== undefined) return undefined;
  for (const { condition, conditionText } of edges) {
    if (condition === undefined) continue;
    if (!keys.isFollowed(condition))
      return `the condition "${conditionText}" after "${id}" reads values that are not followed`;
    if (asksForCustomOutcome(condition))
      return `the condition "${conditionText}" after "${id}" asks for a custom outcome`;
  }
  if (ownRules?.failWhen !== undefined && !keys.isFollowed(ownRules.failWhen))
    return `\`fail_when\` of "${id}" reads values that are not followed`;
  const unknown = ownRules?.assignments.find(
    ({ key, value }) => keys.values.has(key) && !isKnown(value, keys),
  );
  return unknown && `"${id}" assigns a value to \`${unknown.key}\` that is not followed`;
}

function isKnown(value: ValueTemplate, keys: FlowKeys): boolean {
  if (value.kind === 'constant') return true;
  if (value.kind !== 'text') return false;
  return value.template.parts.every(
    (part) => part.kind !== 'value' || keys.values.has(part.path.replace(/^(?:context|state)\./, '')),
  );
}

function asksForCustomOutcome(condition: Condition): boolean {
  return clausesOf(condition).some((clause) => {
    if (clause.kind !== 'comparison') return false;
    const { left, right } = clause;
    if (left.kind !== 'key' || left.path !== 'outcome') return false;
    const literals = right.kind === 'list' ? right.items : [right];
    return literals.some(
      (one) => one.kind === 'literal' && one.value !== 'retry' && !finalStatuses.includes(one.value),
    );
  });
}

/** True if a program's jumps may be refused because a stage has failed twice for the same reason, and something else follows. */
export function mayRefuseJumps({ nodes }: Program): boolean {
  for (const { jumpTargets, parallel, continuesOnFailure, edges, handler } of nodes.values()) {
    if (parallel !== undefined) return true;
    if (jumpTargets.length === 0) continue;
    const intoDiamond = edges.some(
      ({ condition, to }) => condition === undefined && nodes.get(to)?.handler.inheritsOutcome === true,
    );
    if (continuesOnFailure || (handler.failureReachesConditional && intoDiamond)) return true;
  }
  return false;
}
