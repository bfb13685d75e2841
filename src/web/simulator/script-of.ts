import type { ProgramNode } from '../../graph/program.js';
import { mainCursor } from '../../machine/state.js';
import type { ScriptEntry, SimulationScript } from '../../run-directory/simulation-script.js';
import { nodeNamed, ownHandlerOf } from './advance-simulation.js';
import type { Performed, Simulation } from './simulation.js';

/** Exactness with which a script repeats a simulation. */
export type Exactness =
  /** The choices only. */
  | 'choices'
  /** Times too: stages of branches take as long as the user took to decide. */
  | 'choices_and_times';

/**
 * The simulation script (DESIGN §5) that makes the choices of a simulation by hand, as `attractor run --script` takes it:
 * what stages came to, by attempt, and answers, by question.
 */
export function scriptOf(simulation: Simulation, exactness: Exactness): SimulationScript {
  const nodes = new Map<string, readonly ScriptEntry[]>();
  const answers = new Map<string, readonly string[]>();
  for (const [id] of simulation.state.executions) {
    const node = nodeNamed(simulation.program, id);
    if (!isDecidedByHand(node)) continue;
    const stage = stageOf(simulation, node, exactness);
    const typed = answersOf(stage);
    if (typed !== undefined) {
      if (typed.length > 0) answers.set(id, typed);
    } else if (stage.performed.length > 0 || stage.isExact) nodes.set(id, entriesOf(stage));
  }
  return { nodes, answers };
}

function isDecidedByHand(node: ProgramNode): boolean {
  return ownHandlerOf(node) === undefined || isGate(node);
}

function isGate({ handler }: ProgramNode): boolean {
  return handler.type === 'wait.human';
}

/** A stage, and what was decided about its attempts. */
interface DecidedStage {
  readonly node: ProgramNode;
  readonly performed: readonly Performed[];
  /** Number of attempts that began. */
  readonly begun: number;
  /** True if the last attempt waits on the main line, where nothing can overtake it. */
  readonly isNext: boolean;
  readonly isExact: boolean;
}

function stageOf(simulation: Simulation, node: ProgramNode, exactness: Exactness): DecidedStage {
  const isNext = simulation.pending.some(
    (one) =>
      (one.kind === 'stage' || one.kind === 'question') &&
      one.effect.nodeId === node.id &&
      one.effect.cursor === mainCursor,
  );
  const performed = simulation.performed.filter(({ nodeId }) => nodeId === node.id);
  const begun = simulation.state.executions.get(node.id) ?? 0;
  return { node, performed, begun, isNext, isExact: exactness === 'choices_and_times' };
}

/**
 * Typed answers of a gate; undefined if answers alone would not repeat it, because they are given at once.
 */
function answersOf({ node, performed, begun, isNext, isExact }: DecidedStage): readonly string[] | undefined {
  if (!isGate(node)) return undefined;
  const isLate =
    performed.some(({ cursor }) => cursor !== mainCursor) || (begun > performed.length && !isNext);
  if (isExact && isLate) return undefined;
  const typed: string[] = [];
  for (const { answers = [] } of performed) {
    for (const text of answers) {
      if (text === undefined) return undefined;
      typed.push(text);
    }
  }
  return typed;
}

/** Entries by attempt; an undecided one was cut off, whatever its duration. */
function entriesOf(stage: DecidedStage): readonly ScriptEntry[] {
  const { performed, begun, isNext, isExact } = stage;
  const byExecution = new Map(performed.map((one) => [one.execution, one]));
  return Array.from({ length: begun }, (_, execution) => {
    const one = byExecution.get(execution);
    if (one !== undefined) return { ...one.entry, ...delayOf(stage, one) };
    const isOpen = isNext && execution === begun - 1;
    return { outcome: 'success', delay: isExact && !isOpen ? forEver : undefined };
  });
}

const forEver = 365 * 24 * 60 * 60 * 1000;

function delayOf(
  { node, isExact }: DecidedStage,
  { startedAt, settledAt, timedOut, cursor }: Performed,
): { readonly delay?: number } {
  if (timedOut && node.timeout !== undefined) return { delay: node.timeout.milliseconds + 1 };
  if (timedOut || (isExact && cursor !== mainCursor)) return { delay: settledAt - startedAt };
  return {};
}
