import type { Edge, Node } from '../graph/graph.js';
import type { Palette, Tint } from './theme.js';

/** Difference between the element of one version and that of another. */
export interface ElementChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** In a few words: the old name, the attributes that differ. */
  readonly words: string;
}

/** Differences between two versions of a pipeline, to be drawn over a graph with the elements of both; others are the same. */
export interface ChangeOverlay {
  readonly caption: string;
  readonly nodes: ReadonlyMap<string, ElementChange>;
  /** By the index of the edge. */
  readonly edges: ReadonlyMap<number, ElementChange>;
}

/** Colours of an element: green if it was added, red if it was removed, amber if it was changed. */
export function changeTint({ kind }: ElementChange, { run: { states } }: Palette): Tint {
  return { added: states.done, removed: states.failed, changed: states.waiting }[kind];
}

/** Caption of a change below a name: `removed`, `changed: prompt`. */
export function changeCaption({ kind, words }: ElementChange): string {
  return words === '' ? kind : `${kind}: ${words}`;
}

export function changeOfNode({ id }: Node, changes: ChangeOverlay | undefined): ElementChange | undefined {
  return changes?.nodes.get(id);
}

export function changeOfEdge({ index }: Edge, changes: ChangeOverlay | undefined): ElementChange | undefined {
  return changes?.edges.get(index);
}
