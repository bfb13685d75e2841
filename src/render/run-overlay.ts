import type { Edge } from '../graph/graph.js';

/** What became of a stage so far: how the latest visit ended, or what it is doing. */
export type VisitState = 'done' | 'failed' | 'running' | 'waiting' | 'skipped';

/** What happened in a run, to be drawn over its pipeline; what is not mentioned was not reached. */
export interface RunOverlay {
  /** The run in a line: its id, how it ended, how much it did. */
  readonly caption: string;
  readonly nodes: ReadonlyMap<string, VisitedNode>;
  /** How often control took each edge, by its index. */
  readonly edges: ReadonlyMap<number, number>;
  /** Ways that no edge describes: retry targets and goal gates. */
  readonly jumps: readonly Jump[];
}

export interface VisitedNode {
  readonly state: VisitState;
  readonly visits: number;
  /** The state in words that fit it exactly: `failed`, `asks`, `interrupted`; empty where it goes without saying. */
  readonly words: string;
}

export interface Jump {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly count: number;
}

/** What stands below the name of a stage: what it does or how it failed, and how often it was entered. */
export function visitCaption({ words, visits }: VisitedNode): string {
  return [words, visits > 1 ? timesText(visits) : ''].filter((part) => part !== '').join(' · ');
}

/** How often control took an edge; undefined where nothing was drawn of a run. */
export function timesTaken(edge: Edge, overlay: RunOverlay | undefined): number | undefined {
  return overlay === undefined ? undefined : (overlay.edges.get(edge.index) ?? 0);
}

export function timesText(count: number): string {
  return `${count} ×`;
}
