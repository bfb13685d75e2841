import type { Graph } from '../graph/graph.js';

/** A rewriting of the graph between lowering and lint (§9.1). Returns a new graph and never edits the one it is given. */
export interface Transform {
  readonly name: string;
  apply(graph: Graph): Graph;
}
