import type { Condition } from '../../parser/condition/ast.js';
import type { KeyEntry } from '../../parser/key-list/ast.js';
import { assignPrefix } from '../attributes.js';
import type { Node } from '../graph.js';
import type { HandlerType } from '../handler-types.js';
import { failConditionOf, retryConditionOf } from '../queries.js';
import { type Assignment, assignmentsOf } from './assignments.js';
import { keyListOf } from './key-lists.js';

/** What a node itself says about the outcomes of its stage (SEMANTICS 102, 103). */
export interface OwnRules {
  readonly assignments: readonly Assignment[];
  /** Keys that a success must have set. */
  readonly writes: readonly KeyEntry[];
  /** True for a tool whose standard output is one JSON value. */
  readonly printsJson: boolean;
  /** Makes a FAIL of a success. */
  readonly failWhen: Condition | undefined;
  /** Condition under which a FAIL may be retried. */
  readonly retryWhen: Condition | undefined;
}

/** Undefined for a node without any, and for one that cannot have them: a parallel node, or the exit. */
export function ownRulesOf(node: Node, handler: HandlerType): OwnRules | undefined {
  if (!mayHaveOwnRules(handler) || !hasOwnRule(node)) return undefined;
  const writes = node.attributes.get('writes');
  return {
    assignments: assignmentsOf(node),
    writes: (writes && keyListOf(writes).list?.entries) ?? [],
    printsJson: handler.type === 'tool' && node.attributes.get('output')?.value === 'json',
    failWhen: failConditionOf(node).condition,
    retryWhen: retryConditionOf(node).condition,
  };
}

/** True for a node that fails whenever control arrives there: `fail_when="true"`. */
export function alwaysFailsItself(rules: OwnRules | undefined): boolean {
  return rules?.failWhen?.kind === 'constant' && rules.failWhen.value;
}

const names: ReadonlySet<string> = new Set(['writes', 'output', 'fail_when', 'retry_when']);

/** True for an attribute that is such a rule. */
export function isOwnRule(name: string): boolean {
  return name.startsWith(assignPrefix) || names.has(name);
}

export function hasOwnRule({ attributes }: Node): boolean {
  for (const name of attributes.keys()) if (isOwnRule(name)) return true;
  return false;
}

/** False for nodes whose outcome is not the work of a stage: a parallel node, and the exit. */
export function mayHaveOwnRules({ forks, type }: HandlerType): boolean {
  return !forks && type !== 'exit';
}
