import type { LintRule } from '../rule.js';
import { attributeKnown } from './attribute-known.js';
import { branchLeadsBack } from './branch-leads-back.js';
import { branchesDoNotConverge } from './branches-do-not-converge.js';
import { childMissing } from './child-missing.js';
import { conditionDoubleEquals } from './condition-double-equals.js';
import { conditionExhaustive } from './condition-exhaustive.js';
import { conditionOnBranchEdge } from './condition-on-branch-edge.js';
import { conditionOverlap } from './condition-overlap.js';
import { conditionSyntax } from './condition-syntax.js';
import { conditionalWithoutConditions } from './conditional-without-conditions.js';
import { deadEdge } from './dead-edge.js';
import { doubleRetry } from './double-retry.js';
import { duplicateEdge } from './duplicate-edge.js';
import { edgeTargetExists } from './edge-target-exists.js';
import { exitNoOutgoing } from './exit-no-outgoing.js';
import { exitUnreachable } from './exit-unreachable.js';
import { failureFallsThrough } from './failure-falls-through.js';
import { failureStopsRun } from './failure-stops-run.js';
import { fanInWithoutParallel } from './fan-in-without-parallel.js';
import { fidelityValid } from './fidelity-valid.js';
import { goalGateBypass } from './goal-gate-bypass.js';
import { goalGateHasRetry } from './goal-gate-has-retry.js';
import { goalMissing } from './goal-missing.js';
import { graphvizPortable } from './graphviz-portable.js';
import { humanDefaultMatches } from './human-default-matches.js';
import { idCaseCollision } from './id-case-collision.js';
import { implicitNode } from './implicit-node.js';
import { joinParameters } from './join-parameters.js';
import { keywordLikeId } from './keyword-like-id.js';
import { labelUnreachable } from './label-unreachable.js';
import { managerActionsKnown } from './manager-actions-known.js';
import { neverRead } from './never-read.js';
import { noDefaultEdge } from './no-default-edge.js';
import { outcomeKnown } from './outcome-known.js';
import { parallelWritesOverlap } from './parallel-writes-overlap.js';
import { promptOnLlmNodes } from './prompt-on-llm-nodes.js';
import { reachability } from './reachability.js';
import { readBeforeWrite } from './read-before-write.js';
import { reasoningEffortKnown } from './reasoning-effort-known.js';
import { reservedNodeId } from './reserved-node-id.js';
import { restartInBranch } from './restart-in-branch.js';
import { retryTargetExists } from './retry-target-exists.js';
import { retryWithoutEffect } from './retry-without-effect.js';
import { shapeKnown } from './shape-known.js';
import { shellSyntax } from './shell-syntax.js';
import { singleEdgeTaken } from './single-edge-taken.js';
import { startIdShadowed } from './start-id-shadowed.js';
import { startNoIncoming } from './start-no-incoming.js';
import { startNode } from './start-node.js';
import { stylesheetSelectorUnused } from './stylesheet-selector-unused.js';
import { stylesheetSyntax } from './stylesheet-syntax.js';
import { taintedCommand } from './tainted-command.js';
import { terminalNode } from './terminal-node.js';
import { threadIdNeedsFull } from './thread-id-needs-full.js';
import { toolTimeoutMissing } from './tool-timeout-missing.js';
import { toolWithoutCommand } from './tool-without-command.js';
import { typeKnown } from './type-known.js';
import { unboundedLoop } from './unbounded-loop.js';
import { unknownValueRoot } from './unknown-value-root.js';
import { valueInNestedShell } from './value-in-nested-shell.js';
import { valueRefusedInCommand } from './value-refused-in-command.js';
import { valueWithoutEffect } from './value-without-effect.js';
import { weightWithoutEffect } from './weight-without-effect.js';

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
  // §9.2, SEMANTICS 60
  goalMissing,
  // SEMANTICS 7
  implicitNode,
  // SEMANTICS 44e
  conditionDoubleEquals,
  // SEMANTICS 44g
  outcomeKnown,
  // §3.3, SEMANTICS 18–22, 80
  noDefaultEdge,
  conditionOverlap,
  conditionExhaustive,
  deadEdge,
  labelUnreachable,
  weightWithoutEffect,
  conditionalWithoutConditions,
  // SEMANTICS 44j, 48, 49, 53a, 54a
  conditionOnBranchEdge,
  branchesDoNotConverge,
  joinParameters,
  fanInWithoutParallel,
  singleEdgeTaken,
  // SEMANTICS 51
  parallelWritesOverlap,
  // SEMANTICS 48a
  branchLeadsBack,
  restartInBranch,
  // SEMANTICS 20
  failureStopsRun,
  failureFallsThrough,
  // SEMANTICS 22, 32, 34
  exitUnreachable,
  goalGateBypass,
  unboundedLoop,
  // §4.10, §4.11, §6.5, §9.4, SEMANTICS 56, 64
  toolWithoutCommand,
  childMissing,
  managerActionsKnown,
  humanDefaultMatches,
  // §5.1, SEMANTICS §12
  readBeforeWrite,
  neverRead,
  unknownValueRoot,
  valueWithoutEffect,
  valueRefusedInCommand,
  taintedCommand,
  valueInNestedShell,
  // SEMANTICS 43c, 43f
  shapeKnown,
  attributeKnown,
  reasoningEffortKnown,
  // SEMANTICS 13, 17, 17f, 41, 71
  reservedNodeId,
  idCaseCollision,
  keywordLikeId,
  startIdShadowed,
  duplicateEdge,
  graphvizPortable,
  // SEMANTICS 43d, 47b, 68
  stylesheetSelectorUnused,
  threadIdNeedsFull,
  // SEMANTICS 24, 25, 27
  retryWithoutEffect,
  doubleRetry,
  // §4.10
  toolTimeoutMissing,
  shellSyntax,
];
