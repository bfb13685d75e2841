import { assignPrefix } from '../attributes.js';
import type { Attribute, Node } from '../graph.js';
import { perObject } from '../per-object.js';
import { contextKey } from './key-lists.js';
import { parseValueTemplate, type ValueTemplate } from './value-template.js';

/** Context key that a stage sets itself (SEMANTICS 102). */
export interface Assignment {
  readonly key: string;
  readonly value: ValueTemplate;
  readonly attribute: Attribute;
}

/** The `assign.<key>` attributes of a node, in the order of the text. */
export const assignmentsOf = perObject((node: Node): readonly Assignment[] => {
  const assignments: Assignment[] = [];
  for (const attribute of node.attributes.values()) {
    const { name, value } = attribute;
    if (!name.startsWith(assignPrefix)) continue;
    assignments.push({
      key: contextKey(name.slice(assignPrefix.length)),
      value: parseValueTemplate(value),
      attribute,
    });
  }
  return assignments;
});
