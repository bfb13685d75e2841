import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../graph/queries.js';
import type { Assignment } from '../../graph/values/assignments.js';
import type { KeyEntry } from '../../graph/values/key-lists.js';
import { ownRulesOf } from '../../graph/values/own-rules.js';
import { writingNodes } from './context-writes.js';
import type { ValueFlow } from './value-flow.js';
import { isUnknown, mayBePresent, narrowed, type Shape } from './value-shape.js';

/** Assignment whose value never fits the `writes` of its own stage, which therefore never succeeds (SEMANTICS 103). */
export interface MisfitAssignment {
  readonly node: Node;
  readonly assignment: Assignment;
  readonly entry: KeyEntry;
  /** Values that it may have. */
  readonly shape: Shape;
}

/** A value that is always missing is not one of them: `read_before_write` finds why. */
export function* misfitAssignments(
  graph: Graph,
  handlerTypes: KnownHandlerTypes,
  flow: ValueFlow,
): Iterable<MisfitAssignment> {
  for (const node of writingNodes(graph)) {
    const rules = ownRulesOf(node, handlerTypeOf(graph, node, handlerTypes));
    if (rules === undefined || rules.writes.length === 0 || rules.assignments.length === 0) continue;
    const entries = new Map(rules.writes.map((entry) => [entry.key, entry]));
    for (const assignment of rules.assignments) {
      const entry = entries.get(assignment.key);
      if (entry === undefined) continue;
      const shape = flow.assigned(node, assignment.value);
      if (isUnknown(shape) || !mayBePresent(shape) || narrowed(shape, entry).size > 0) continue;
      yield { node, assignment, entry, shape };
    }
  }
}
