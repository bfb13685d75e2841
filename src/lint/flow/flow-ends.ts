import type { Program, ProgramNode } from '../../graph/program.js';
import { gatesInBranches } from './flow-forks.js';
import { type Continuation, type FlowState, type GateState, type Said, withEntry } from './flow-state.js';

/** Most of a limit up to which its count is kept; a larger one is checked on the run that was found. */
const countedUpTo = 3;

/** Count up to where it matters. */
export function counted(count: number, limit: number): number {
  return limit <= countedUpTo ? count + 1 : 0;
}

/**
 * What may follow where a run would end: that, if its goal gates hold; else it is sent back, or fails (§3.4, SEMANTICS 32–34).
 * @param isLoose true if the gates may hold or not
 */
export function ends(
  program: Program,
  state: FlowState,
  isLoose: boolean,
  sendBack: (nodeId: string, redirects: number) => Continuation,
): readonly Continuation[] {
  const { goalGates, requireGoalGates, limits, nodes } = program;
  if (isLoose) {
    const targets = new Set(goalGates.flatMap((gate) => targetOf(program, gate) ?? []));
    const back = [...targets].map((nodeId) => sendBack(nodeId, 0));
    return goalGates.length === 0 ? [completed] : [completed, failed, ...back];
  }
  const [unsatisfied, ...others] = [...state.gates].filter(([, said]) => said === 'unsatisfied');
  const inBranches = gatesInBranches(program);
  if (others.length > 0 && [...state.gates.keys()].some((id) => inBranches.has(id))) return [unknown];
  const missing = requireGoalGates
    ? goalGates.find(({ id }) => (state.gates.get(id) ?? 'silent') === 'silent')?.id
    : undefined;
  const gate = nodes.get(unsatisfied?.[0] ?? missing ?? '');
  if (gate === undefined) return [completed];
  const target = targetOf(program, gate);
  const { maxGoalGateRedirects } = limits;
  if (target === undefined || state.redirects >= maxGoalGateRedirects) return [failed];
  return [sendBack(target, counted(state.redirects, maxGoalGateRedirects))];
}

const completed: Continuation = { next: undefined, ending: 'completed' };
/** It depends on the order in which branches come to several goal gates. */
const unknown: Continuation = { next: undefined, ending: 'unknown' };
const failed: Continuation = { next: undefined, ending: 'failed' };

function targetOf({ exitId, nodes, goalGateTargets }: Program, gate: ProgramNode): string | undefined {
  return [...gate.jumpTargets, ...goalGateTargets].find(
    ({ nodeId }) => nodeId !== exitId && nodes.has(nodeId),
  )?.nodeId;
}

/** A diamond counts with the outcome that it passes on; a stage that was skipped says nothing (SEMANTICS 32). */
export function gatesAfter(
  gates: FlowState['gates'],
  { id, goalGate }: ProgramNode,
  status: Said['status'],
): FlowState['gates'] {
  if (!goalGate || status === 'skipped') return gates;
  const isSatisfied = status === 'success' || status === 'partial_success';
  const said: GateState = isSatisfied ? 'satisfied' : 'unsatisfied';
  if (gates.get(id) !== 'silent') return withEntry(gates, id, said);
  const others = [...gates].filter(([gate]) => gate !== id);
  return new Map<string, GateState>([...others, [id, said]]);
}
