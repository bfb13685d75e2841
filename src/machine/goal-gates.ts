import type { JumpTarget } from '../graph/flow/jump-targets.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { isSuccessful } from './outcome.js';
import type { RunState } from './state.js';

/**
 * Goal gate that keeps the run from ending (§3.4, SEMANTICS 32): the first one, in the order of the visits,
 * whose latest outcome is not a success. A gate that was never visited blocks only under
 * `require_goal_gates`.
 */
export function unsatisfiedGate(program: Program, state: RunState): ProgramNode | undefined {
  for (const [nodeId, outcome] of state.outcomes) {
    const node = program.nodes.get(nodeId);
    if (node?.goalGate && !isSuccessful(outcome.status)) return node;
  }
  if (!program.requireGoalGates) return undefined;
  return program.goalGates.find((gate) => !state.outcomes.has(gate.id));
}

export interface JumpChoice {
  readonly target: JumpTarget | undefined;
  /** Reasons why the targets before it were passed over, for the run log. */
  readonly skipped: readonly string[];
  /** Target that is a node, but cannot be jumped to from here. */
  readonly refused?: string;
}

/**
 * First target that is a node and not the exit (SEMANTICS 20c), and that control may jump to.
 * @param whyNot reason why control may not go to a node; undefined if it may
 */
export function firstValidTarget(
  program: Program,
  owner: string,
  targets: readonly JumpTarget[],
  whyNot: (nodeId: string) => string | undefined = () => undefined,
): JumpChoice {
  const skipped: string[] = [];
  let refused: string | undefined;
  for (const target of targets) {
    if (target.nodeId === program.exitId) {
      skipped.push(`${target.attribute} of "${owner}" names the exit "${target.nodeId}"; it is skipped`);
    } else if (!program.nodes.has(target.nodeId)) {
      skipped.push(
        `${target.attribute} of "${owner}" names "${target.nodeId}", which is not a node; it is skipped`,
      );
    } else {
      const reason = whyNot(target.nodeId);
      if (reason === undefined) return { target, skipped };
      refused = `${target.attribute} of "${owner}" is skipped: ${reason}`;
      skipped.push(refused);
    }
  }
  return { target: undefined, skipped, refused };
}
