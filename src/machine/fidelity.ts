import { type FidelityMode, namedThread, writtenFidelity } from '../graph/fidelity.js';
import type { Edge, Graph } from '../graph/graph.js';
import type { Program, ProgramNode } from '../graph/program.js';

export type { FidelityMode };

/** Default without any attribute (§5.4). */
const defaultFidelity: FidelityMode = 'compact';

/** A node that control enters, and the edge by which it came. */
export interface Entry {
  readonly program: Program;
  readonly node: ProgramNode;
  /** Index into the graph's edges; undefined at the start of a run and after a jump (SEMANTICS 35). */
  readonly incomingEdge: number | undefined;
}

/**
 * Resolves the fidelity of a node (§5.4): that of the edge by which it is entered, of the node, of the
 * graph, else `compact`.
 */
export function resolveFidelity({ program: { graph }, node, incomingEdge }: Entry): FidelityMode {
  return writtenFidelity(graph, node.node, edgeAt(graph, incomingEdge))?.mode ?? defaultFidelity;
}

/** Entry with the fields that thread resolution also needs. */
export interface ThreadEntry extends Entry {
  /** Node that control came from; undefined at the start. */
  readonly previousNode: string | undefined;
  /** Branch of the node; empty on the main line. */
  readonly branch: string;
}

/**
 * Key of the session that a stage with the fidelity `full` shares (§5.4, SEMANTICS 68): the thread of the
 * node, of the edge, of the graph, the class of the innermost subgraph that gives one, else the id of the
 * node before. Within a branch the branch's id precedes it, because branches never share a session; a slash
 * in a thread's own name is written `%2F`, so that no name can look like one of a branch.
 */
export function resolveThread(entry: ThreadEntry): string {
  const thread = threadOf(entry).replaceAll(/[%/]/g, encodeURIComponent);
  return entry.branch === '' ? thread : `${entry.branch}/${thread}`;
}

function threadOf({ program: { graph }, node, incomingEdge, previousNode }: ThreadEntry): string {
  return namedThread(graph, node.node, edgeAt(graph, incomingEdge)) || previousNode || node.id;
}

function edgeAt(graph: Graph, index: number | undefined): Edge | undefined {
  return index === undefined ? undefined : graph.edges[index];
}

/** Facts that decide if a stage receives less than its own fidelity. */
export interface Resumption {
  /** Fidelity that the stage resolves to. */
  readonly mode: FidelityMode;
  /** True for the first LLM stage that starts since the run was resumed. */
  readonly isFirstAfterResume: boolean;
  /** True if the last LLM stage that completed had the fidelity `full`. */
  readonly previousUsedFull: boolean;
  /** True if the stage's thread has a conversation that its backend can continue in another process. */
  readonly hasSession: boolean;
}

export interface EffectiveFidelity {
  readonly mode: FidelityMode;
  /** True if the mode is not the stage's own. */
  readonly degraded: boolean;
}

/**
 * Lowers the fidelity after a resume, because most sessions do not survive their process: the first LLM
 * stage receives in `summary:high` what it, or the stage before it, had in the session (§5.3, SEMANTICS
 * 67). Afterwards the pipeline's modes apply again. A stage whose session can be resumed by its id just
 * continues it.
 */
export function degradeAfterResume(resumption: Resumption): EffectiveFidelity {
  const { mode, isFirstAfterResume, previousUsedFull, hasSession } = resumption;
  if (mode === 'full' && hasSession) return { mode, degraded: false };
  if (!isFirstAfterResume || !(mode === 'full' || previousUsedFull)) return { mode, degraded: false };
  return { mode: 'summary:high', degraded: mode !== 'summary:high' };
}
