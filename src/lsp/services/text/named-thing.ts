import type { Span } from '../../../diagnostic/source.js';

/** Something that an author has named. */
export interface NamedThing {
  readonly kind: NamedKind;
  readonly name: string;
  /** URI of the pipeline that it belongs to. */
  readonly owner: string;
}

export type NamedKind =
  | 'node'
  /** Context key that stages of the pipeline set. */
  | 'key'
  | 'input'
  | 'class'
  /** Attribute of the graph, read as `graph.…`. */
  | 'graph_attribute'
  /** Key that the engine or a handler sets. */
  | 'engine_key'
  /** File that the pipeline names, with its URI as the name. */
  | 'file';

/** Place where a text names something. */
export interface Mention {
  readonly thing: NamedThing;
  /** Name in the text, without quotes, prefixes and rest of a path. */
  readonly span: Span;
  readonly role: MentionRole;
  /** Stage in whose text it stands. */
  readonly nodeId?: string | undefined;
  /** Owner of the text for people: `fix`, `fix -> test`, `the graph`; undefined for an id itself and in a prompt file. */
  readonly place?: string | undefined;
  /** True if the text does not spell the name, so that it cannot be renamed here: a class that comes from a label. */
  readonly isDerived?: true | undefined;
}

/** `declaration` for where the thing begins to exist; `write` and `read` for values. */
export type MentionRole = 'declaration' | 'write' | 'read' | 'reference';

/** True for two names of the same thing. */
export function isSameThing(one: NamedThing, other: NamedThing): boolean {
  return one.kind === other.kind && one.name === other.name && one.owner === other.owner;
}
