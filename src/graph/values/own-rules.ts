import { assignPrefix } from '../attributes.js';
import type { Node } from '../graph.js';
import type { HandlerType } from '../handler-types.js';
import { type Assignment, assignmentsOf } from './assignments.js';

/** What a node itself says about the outcomes of its stage (SEMANTICS 102, 103). */
export interface OwnRules {
  readonly assignments: readonly Assignment[];
}

/** Undefined for a node without any, and for one that cannot have them: a parallel node, or the exit. */
export function ownRulesOf(node: Node, handler: HandlerType): OwnRules | undefined {
  if (!mayHaveOwnRules(handler)) return undefined;
  const assignments = assignmentsOf(node);
  return assignments.length === 0 ? undefined : { assignments };
}

/** True for an attribute that is such a rule. */
export function isOwnRule(name: string): boolean {
  return name.startsWith(assignPrefix);
}

export function hasOwnRule({ attributes }: Node): boolean {
  return [...attributes.keys()].some(isOwnRule);
}

/** False for nodes whose outcome is not the work of a stage: a parallel node, and the exit. */
export function mayHaveOwnRules({ forks, type }: HandlerType): boolean {
  return !forks && type !== 'exit';
}
