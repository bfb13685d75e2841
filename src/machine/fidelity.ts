import { edgeAttribute, fidelityModes, graphAttribute, nodeAttribute } from '../graph/attributes.js';
import type { Edge, Graph } from '../graph/graph.js';
import type { Program, ProgramNode } from '../graph/program.js';

/** How much of what went before an LLM stage is told (§5.4). */
export type FidelityMode = (typeof fidelityModes)[number];

/** What holds where nobody says anything (§5.4). */
const defaultFidelity: FidelityMode = 'compact';

/** A node that control enters, and how it came there. */
export interface Entry {
  readonly program: Program;
  readonly node: ProgramNode;
  /** Index into the graph's edges; undefined at the start of a run and after a jump (SEMANTICS 35). */
  readonly incomingEdge: number | undefined;
}

/**
 * The fidelity of a node (§5.4): that of the edge by which it is entered, of the node, of the graph, else `compact`. One
 * that is not a mode counts as unset (SEMANTICS 43a); the graph's has a deprecated name besides its own (SEMANTICS 68a).
 */
export function resolveFidelity({ program: { graph }, node, incomingEdge }: Entry): FidelityMode {
  const edge = edgeAt(graph, incomingEdge);
  return (
    (edge && modeNamed(edgeAttribute(edge, 'fidelity'))) ??
    modeNamed(nodeAttribute(node.node, 'fidelity')) ??
    modeNamed(graphAttribute(graph, 'default_fidelity')) ??
    modeNamed(graphAttribute(graph, 'context_fidelity_default')) ??
    defaultFidelity
  );
}

const modes: ReadonlyMap<string, FidelityMode> = new Map(fidelityModes.map((mode) => [mode, mode]));

function modeNamed(name: string): FidelityMode | undefined {
  return modes.get(name);
}

/** The names that the graph's default thread may have (SEMANTICS 68), the preferred one first. */
const graphThreadNames = [
  'default_thread_id',
  'default_thread',
  'thread_id',
  'context_thread_default',
] as const;

/** An entry, with what thread resolution needs besides. */
export interface ThreadEntry extends Entry {
  /** The node that control came from; undefined where it came from none. */
  readonly previousNode: string | undefined;
  /** The branch that control is in; empty on the main line. */
  readonly branch: string;
}

/**
 * The key of the session that a stage with the fidelity `full` shares (§5.4, SEMANTICS 68): the thread of the node, of the
 * edge, of the graph, the class of the innermost subgraph that gives one, else the id of the node before. Within a branch
 * it stands after the id of the branch, because branches never share a session; a slash in a thread's own name is written
 * `%2F`, so that no name can look like one of a branch.
 */
export function resolveThread(entry: ThreadEntry): string {
  const thread = threadOf(entry).replaceAll(/[%/]/g, encodeURIComponent);
  return entry.branch === '' ? thread : `${entry.branch}/${thread}`;
}

function threadOf({ program: { graph }, node, incomingEdge, previousNode }: ThreadEntry): string {
  const edge = edgeAt(graph, incomingEdge);
  return (
    nodeAttribute(node.node, 'thread_id') ||
    (edge && edgeAttribute(edge, 'thread_id')) ||
    graphThreadNames.map((name) => graphAttribute(graph, name)).find((name) => name !== '') ||
    classAround(graph, node) ||
    previousNode ||
    node.id
  );
}

/** The class that the innermost subgraph with a telling label derives (§2.10). */
function classAround(graph: Graph, { node }: ProgramNode): string | undefined {
  let subgraph = node.subgraph === undefined ? undefined : graph.subgraphs[node.subgraph];
  while (subgraph !== undefined && subgraph.derivedClass === undefined) {
    subgraph = subgraph.parent === undefined ? undefined : graph.subgraphs[subgraph.parent];
  }
  return subgraph?.derivedClass;
}

function edgeAt(graph: Graph, index: number | undefined): Edge | undefined {
  return index === undefined ? undefined : graph.edges[index];
}

/** What decides whether a stage must do with less than its own fidelity. */
export interface Resumption {
  /** The fidelity that the stage resolves to. */
  readonly mode: FidelityMode;
  /** Whether it is the first LLM stage that starts since the run was resumed. */
  readonly isFirstAfterResume: boolean;
  /** Whether the last LLM stage that completed had the fidelity `full`. */
  readonly previousUsedFull: boolean;
  /** Whether the stage's thread has a conversation that its backend can continue with in another process. */
  readonly hasSession: boolean;
}

export interface EffectiveFidelity {
  readonly mode: FidelityMode;
  /** Set where the mode is not the stage's own. */
  readonly degraded: boolean;
}

/**
 * Most sessions do not survive their process: the first LLM stage after a resume is told in `summary:high` what it, or the
 * stage before it, had in the session (§5.3, SEMANTICS 67). Afterwards everything is as the pipeline says. A stage whose
 * session can be resumed by its id just continues with it.
 */
export function degradeAfterResume(resumption: Resumption): EffectiveFidelity {
  const { mode, isFirstAfterResume, previousUsedFull, hasSession } = resumption;
  if (mode === 'full' && hasSession) return { mode, degraded: false };
  if (!isFirstAfterResume || !(mode === 'full' || previousUsedFull)) return { mode, degraded: false };
  return { mode: 'summary:high', degraded: mode !== 'summary:high' };
}
