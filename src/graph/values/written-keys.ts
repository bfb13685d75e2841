import { assignPrefix } from '../attributes.js';
import type { Attribute, Node } from '../graph.js';
import { perObject } from '../per-object.js';
import { assignmentsOf } from './assignments.js';
import { type ListedKey, listedKeys } from './key-lists.js';

/** Context key that a node says it writes: in `writes`, or by an `assign.<key>`. */
export interface WrittenKey {
  readonly key: string;
  readonly attribute: Attribute;
  /** Position in the value of a `writes`; undefined for the name of an attribute. */
  readonly span: ListedKey['span'] | undefined;
}

/** Keys that a node says it writes, in the order of the text. */
export const writtenKeys = perObject((node: Node): readonly WrittenKey[] => {
  const writes = node.attributes.get('writes');
  const listed =
    writes === undefined ? [] : listedKeys(writes).map(({ key, span }) => ({ key, span, attribute: writes }));
  return [
    ...listed,
    ...assignmentsOf(node).map(({ key, attribute }) => ({ key, attribute, span: undefined })),
  ];
});

/** Names of attributes, among those of all nodes, that declare what a node writes. */
export function writingAttributes(names: readonly string[]): readonly string[] {
  return names.filter((name) => name === 'writes' || name.startsWith(assignPrefix));
}

/**
 * Keys that the engine or a handler sets (SEMANTICS 102): a value of an author there would be lost, or
 * mislead. A dot at the end includes all keys below.
 */
const reserved: readonly string[] = [
  'inputs.',
  'graph.',
  'internal.',
  'result.',
  'stages.',
  'parallel.',
  'tool.',
  'human.',
  'work.',
  'current_node',
  'outcome',
  'preferred_label',
];

/**
 * True for a key that only the engine and its own handler set at run time, whatever a stage reports; proofs rely on it. Below `work.`,
 * only the number of an item is the engine's, in the branch of the item.
 */
export function isSetByEngine(key: string): boolean {
  const found = reservedAs(key);
  return found !== undefined && found !== 'work.';
}

/** Entry of the list of reserved keys that a key falls under; undefined for keys that authors may set. */
export function reservedAs(key: string): string | undefined {
  return reserved.find((one) => (one.endsWith('.') ? key.startsWith(one) : key === one));
}
