import type { Graph } from '../graph/graph.js';
import { applyStylesheet } from './apply-stylesheet.js';
import { expandGoal } from './expand-goal.js';
import type { Transform } from './transform.js';

/**
 * Built-in transforms in the order in which they run (§9.2, SEMANTICS 47d): variables first, so that later
 * ones see the final texts, then the stylesheet; a program's own transforms follow (§9.3) and so see the
 * values that a node will run with.
 */
export const builtInTransforms: readonly Transform[] = [expandGoal, applyStylesheet];

/** A transform as programs may write it: §9.1 calls the method `apply`, §11.11 `transform` (SEMANTICS 47d). */
export type TransformLike = Transform | { readonly name?: string; transform(graph: Graph): Graph };

/**
 * Runs transforms one after the other, each on the result of the one before it (§9.1).
 * @throws TypeError where a program's own transform gives nothing back, which no type catches in plain JavaScript
 */
export function applyTransforms(graph: Graph, transforms: readonly TransformLike[]): Graph {
  return transforms.reduce((current, transform) => {
    const result: Graph | undefined =
      'apply' in transform ? transform.apply(current) : transform.transform(current);
    if (result === undefined) {
      throw new TypeError(`transform "${transform.name ?? 'without a name'}" returned no graph`);
    }
    return result;
  }, graph);
}
