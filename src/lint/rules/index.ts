import type { LintRule } from '../rule.js';
import { branchesDoNotConverge } from './branches-do-not-converge.js';
import { conditionDoubleEquals } from './condition-double-equals.js';
import { conditionOnBranchEdge } from './condition-on-branch-edge.js';
import { conditionSyntax } from './condition-syntax.js';
import { edgeTargetExists } from './edge-target-exists.js';
import { exitNoOutgoing } from './exit-no-outgoing.js';
import { fanInWithoutParallel } from './fan-in-without-parallel.js';
import { fidelityValid } from './fidelity-valid.js';
import { goalGateHasRetry } from './goal-gate-has-retry.js';
import { implicitNode } from './implicit-node.js';
import { joinParameters } from './join-parameters.js';
import { outcomeKnown } from './outcome-known.js';
import { promptOnLlmNodes } from './prompt-on-llm-nodes.js';
import { reachability } from './reachability.js';
import { reservedNodeId } from './reserved-node-id.js';
import { retryTargetExists } from './retry-target-exists.js';
import { singleEdgeTaken } from './single-edge-taken.js';
import { startNoIncoming } from './start-no-incoming.js';
import { startNode } from './start-node.js';
import { stylesheetSyntax } from './stylesheet-syntax.js';
import { terminalNode } from './terminal-node.js';
import { typeKnown } from './type-known.js';

/** The built-in rules: those of §7.2 in its order, then those that SEMANTICS adds. */
export const builtInRules: readonly LintRule[] = [
  // §7.2, errors
  startNode,
  terminalNode,
  reachability,
  edgeTargetExists,
  startNoIncoming,
  exitNoOutgoing,
  conditionSyntax,
  stylesheetSyntax,
  // §7.2, warnings
  typeKnown,
  fidelityValid,
  retryTargetExists,
  goalGateHasRetry,
  promptOnLlmNodes,
  // SEMANTICS 7
  implicitNode,
  // SEMANTICS 44e
  conditionDoubleEquals,
  // SEMANTICS 44g
  outcomeKnown,
  // SEMANTICS 44j, 48, 49, 53a, 54a
  conditionOnBranchEdge,
  branchesDoNotConverge,
  joinParameters,
  fanInWithoutParallel,
  singleEdgeTaken,
  // SEMANTICS 71
  reservedNodeId,
];
