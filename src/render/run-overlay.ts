import type { Edge } from '../graph/graph.js';

/** State of a stage so far: the end of the latest visit, or its current activity. */
export type VisitState = 'done' | 'failed' | 'running' | 'waiting' | 'skipped';

/** Progress of a run, to be drawn over its pipeline; anything not mentioned was not reached. */
export interface RunOverlay {
  /** Run in a line: its id, its end, and its amount of work. */
  readonly caption: string;
  readonly nodes: ReadonlyMap<string, VisitedNode>;
  /** Number of times that control took each edge, by its index. */
  readonly edges: ReadonlyMap<number, number>;
  /** Jumps that no edge describes: retry targets and goal gates. */
  readonly jumps: readonly Jump[];
}

export interface VisitedNode {
  readonly state: VisitState;
  readonly visits: number;
  /** Exact words for the state: `failed`, `asks`, `interrupted`; empty if it is obvious. */
  readonly words: string;
}

export interface Jump {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly count: number;
}

/** Caption below the name of a stage: its activity or failure, and the number of visits. */
export function visitCaption({ words, visits }: VisitedNode): string {
  return [words, visits > 1 ? timesText(visits) : ''].filter((part) => part !== '').join(' · ');
}

/** Number of times that control took an edge; undefined without a run. */
export function timesTaken(edge: Edge, overlay: RunOverlay | undefined): number | undefined {
  return overlay === undefined ? undefined : (overlay.edges.get(edge.index) ?? 0);
}

export function timesText(count: number): string {
  return `${count} ×`;
}
