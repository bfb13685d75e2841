import type { AttributeMap, Subgraph } from './graph.js';

/**
 * Stylesheet classes of a node: those of its `class` attribute (§2.12), then those derived from the labels
 * of the subgraphs around it (§2.10), outer before inner. Each at most once.
 */
export function classesOf(
  attributes: AttributeMap,
  declaredIn: readonly number[],
  subgraphs: readonly Subgraph[],
): readonly string[] {
  const classes = new Set<string>();
  const written = attributes.get('class');
  if (written !== undefined) {
    for (const name of String(written.value).split(',')) {
      if (name.trim() !== '') classes.add(name.trim());
    }
  }
  for (const index of declaredIn) {
    for (const subgraph of outermostFirst(index, subgraphs)) {
      if (subgraph.derivedClass !== undefined) classes.add(subgraph.derivedClass);
    }
  }
  return [...classes];
}

/**
 * Class derived from a subgraph's label: `Loop A` gives `loop-a`; undefined if no letter or digit remains.
 */
export function deriveClass(attributes: AttributeMap): string | undefined {
  const label = attributes.get('label');
  if (label === undefined) return undefined;
  const derived = String(label.value)
    .toLowerCase()
    .replaceAll(' ', '-')
    .replaceAll(/[^a-z0-9-]/g, '');
  return derived === '' ? undefined : derived;
}

function outermostFirst(index: number, subgraphs: readonly Subgraph[]): readonly Subgraph[] {
  const path: Subgraph[] = [];
  for (let current = subgraphs[index]; current !== undefined; ) {
    path.push(current);
    current = current.parent === undefined ? undefined : subgraphs[current.parent];
  }
  return path.reverse();
}
