import type { LintRule } from '../rule.js';
import { attributeKnown } from './attributes/attribute-known.js';
import { attributeWithoutEffect } from './attributes/attribute-without-effect.js';
import { childErrors } from './attributes/child-errors.js';
import { childExists } from './attributes/child-exists.js';
import { childInputs } from './attributes/child-inputs.js';
import { childMissing } from './attributes/child-missing.js';
import { doubleRetry } from './attributes/double-retry.js';
import { fallbackValid } from './attributes/fallback-valid.js';
import { fidelityValid } from './attributes/fidelity-valid.js';
import { foreignDialect } from './attributes/foreign-dialect.js';
import { fullWithoutThread } from './attributes/full-without-thread.js';
import { goalMissing } from './attributes/goal-missing.js';
import { humanDefaultMatches } from './attributes/human-default-matches.js';
import { joinParameters } from './attributes/join-parameters.js';
import { managerActionsKnown } from './attributes/manager-actions-known.js';
import { programMissing } from './attributes/program-missing.js';
import { promptFileUsable } from './attributes/prompt-file-usable.js';
import { promptOnLlmNodes } from './attributes/prompt-on-llm-nodes.js';
import { reasoningEffortKnown } from './attributes/reasoning-effort-known.js';
import { retryTargetExists } from './attributes/retry-target-exists.js';
import { retryWithoutEffect } from './attributes/retry-without-effect.js';
import { shapeKnown } from './attributes/shape-known.js';
import { stylesheetSelectorUnused } from './attributes/stylesheet-selector-unused.js';
import { stylesheetSyntax } from './attributes/stylesheet-syntax.js';
import { threadIdNeedsFull } from './attributes/thread-id-needs-full.js';
import { toolTimeoutMissing } from './attributes/tool-timeout-missing.js';
import { toolWithoutCommand } from './attributes/tool-without-command.js';
import { typeKnown } from './attributes/type-known.js';
import { propertyNames } from './properties/property-names.js';
import { propertySyntax } from './properties/property-syntax.js';
import { branchFailureIgnored } from './routing/branch-failure-ignored.js';
import { branchLeadsBack } from './routing/branch-leads-back.js';
import { branchesDoNotConverge } from './routing/branches-do-not-converge.js';
import { checkCannotFail } from './routing/check-cannot-fail.js';
import { conditionDoubleEquals } from './routing/condition-double-equals.js';
import { conditionExhaustive } from './routing/condition-exhaustive.js';
import { conditionOnBranchEdge } from './routing/condition-on-branch-edge.js';
import { conditionOverlap } from './routing/condition-overlap.js';
import { conditionSyntax } from './routing/condition-syntax.js';
import { conditionalWithoutConditions } from './routing/conditional-without-conditions.js';
import { deadEdge } from './routing/dead-edge.js';
import { exitUnreachable } from './routing/exit-unreachable.js';
import { failureFallsThrough } from './routing/failure-falls-through.js';
import { failureStopsRun } from './routing/failure-stops-run.js';
import { fanInWithoutParallel } from './routing/fan-in-without-parallel.js';
import { goalGateBypass } from './routing/goal-gate-bypass.js';
import { goalGateHasRetry } from './routing/goal-gate-has-retry.js';
import { joinExists } from './routing/join-exists.js';
import { labelUnreachable } from './routing/label-unreachable.js';
import { noDefaultEdge } from './routing/no-default-edge.js';
import { outcomeKnown } from './routing/outcome-known.js';
import { outputEndsLine } from './routing/output-ends-line.js';
import { printedWord } from './routing/printed-word.js';
import { restartInBranch } from './routing/restart-in-branch.js';
import { singleEdgeTaken } from './routing/single-edge-taken.js';
import { unboundedLoop } from './routing/unbounded-loop.js';
import { weightWithoutEffect } from './routing/weight-without-effect.js';
import { duplicateEdge } from './structure/duplicate-edge.js';
import { edgeTargetExists } from './structure/edge-target-exists.js';
import { exitNoOutgoing } from './structure/exit-no-outgoing.js';
import { graphvizPortable } from './structure/graphviz-portable.js';
import { idCaseCollision } from './structure/id-case-collision.js';
import { implicitNode } from './structure/implicit-node.js';
import { keywordLikeId } from './structure/keyword-like-id.js';
import { reachability } from './structure/reachability.js';
import { reservedNodeId } from './structure/reserved-node-id.js';
import { startIdShadowed } from './structure/start-id-shadowed.js';
import { startNoIncoming } from './structure/start-no-incoming.js';
import { startNode } from './structure/start-node.js';
import { terminalNode } from './structure/terminal-node.js';
import { assignedJson } from './values/assigned-json.js';
import { foreachValid } from './values/foreach-valid.js';
import { inputUndeclared } from './values/input-undeclared.js';
import { inputUnused } from './values/input-unused.js';
import { keyListSyntax } from './values/key-list-syntax.js';
import { keyWritable } from './values/key-writable.js';
import { neverRead } from './values/never-read.js';
import { parallelWritesOverlap } from './values/parallel-writes-overlap.js';
import { readBeforeWrite } from './values/read-before-write.js';
import { shellSyntax } from './values/shell-syntax.js';
import { stageValueKnown } from './values/stage-value-known.js';
import { systemPromptConstant } from './values/system-prompt-constant.js';
import { taintedCommand } from './values/tainted-command.js';
import { unknownValueRoot } from './values/unknown-value-root.js';
import { valueInNestedShell } from './values/value-in-nested-shell.js';
import { valueRefusedInCommand } from './values/value-refused-in-command.js';
import { valueType } from './values/value-type.js';
import { valueWithoutEffect } from './values/value-without-effect.js';

/** Built-in rules: those of §7.2 in its order, then those that SEMANTICS adds. */
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
  joinExists,
  foreachValid,
  fanInWithoutParallel,
  singleEdgeTaken,
  // SEMANTICS 51
  parallelWritesOverlap,
  // SEMANTICS 108
  branchFailureIgnored,
  // SEMANTICS 48a
  branchLeadsBack,
  restartInBranch,
  // SEMANTICS 20
  failureStopsRun,
  failureFallsThrough,
  checkCannotFail,
  // §4.10
  outputEndsLine,
  printedWord,
  programMissing,
  // SEMANTICS 22, 32, 34
  exitUnreachable,
  goalGateBypass,
  unboundedLoop,
  // §4.10, §4.11, §6.5, §9.4, SEMANTICS 56, 64
  toolWithoutCommand,
  childMissing,
  promptFileUsable,
  childExists,
  childErrors,
  childInputs,
  managerActionsKnown,
  humanDefaultMatches,
  // SEMANTICS 100, 101
  keyListSyntax,
  // SEMANTICS 144
  propertySyntax,
  propertyNames,
  inputUndeclared,
  // SEMANTICS 104
  stageValueKnown,
  // SEMANTICS 102
  keyWritable,
  assignedJson,
  inputUnused,
  // SEMANTICS 100–105
  valueType,
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
  foreignDialect,
  attributeWithoutEffect,
  reasoningEffortKnown,
  // SEMANTICS 130
  fallbackValid,
  systemPromptConstant,
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
  // SEMANTICS 124
  fullWithoutThread,
  // SEMANTICS 24, 25, 27
  retryWithoutEffect,
  doubleRetry,
  // §4.10
  toolTimeoutMissing,
  shellSyntax,
];
