// The public API of `attractor-dot`. Everything else may change without notice.

export type { ClosableBackend } from './backends/backend.js';
export { type BackendOptions, createBackend } from './backends/create-backend.js';
export type { BackendSettingsInput } from './backends/settings.js';
export { checkShell } from './check-shell.js';
export { type Compilation, type CompileOptions, compile } from './compile.js';
export { type AppliedFixes, applyFixes } from './diagnostic/apply-fixes.js';
export {
  countDiagnostics,
  type Diagnostic,
  type DiagnosticCounts,
  type Fix,
  hasErrors,
  type RelatedPlace,
  type Severity,
  type TextEdit,
} from './diagnostic/diagnostic.js';
export type { FileDiagnostics } from './diagnostic/file-diagnostics.js';
export { renderGithub } from './diagnostic/render-github.js';
export { renderJson } from './diagnostic/render-json.js';
export { renderPretty } from './diagnostic/render-pretty.js';
export { renderSarif } from './diagnostic/render-sarif.js';
export { renderSummary } from './diagnostic/render-summary.js';
export { type Position, SourceText, type Span } from './diagnostic/source.js';
export type { Artifacts } from './engine/handlers/artifacts.js';
export type {
  ChildEnd,
  ChildRequest,
  ChildResult,
  ChildRun,
  ChildTelemetry,
  RunChild,
} from './engine/handlers/child-runner.js';
export { codergenHandler } from './engine/handlers/codergen.js';
export type { BackendCall, BackendReply, CodergenBackend } from './engine/handlers/codergen-backend.js';
export { Context } from './engine/handlers/context.js';
export type { ShouldRetry } from './engine/handlers/error-category.js';
export {
  type Carryover,
  type Handler,
  type Stage,
  StageCrash,
  StageSuspension,
} from './engine/handlers/handler.js';
export type { QuestionDraft, QuestionTypeName } from './engine/handlers/question-draft.js';
export { type Decision, decide } from './engine/machine/decide.js';
export type { Effect } from './engine/machine/effect.js';
export type { EventBody, RunEvent } from './engine/machine/event.js';
export { evolve } from './engine/machine/evolve.js';
export type { FailureCategory } from './engine/machine/failure-category.js';
export type { FidelityMode } from './engine/machine/fidelity.js';
export type { Input, InputBody } from './engine/machine/input.js';
export type { Answer, Question, QuestionOption, QuestionType } from './engine/machine/interview.js';
export { failure, isSuccessful, type Outcome, type StageStatus } from './engine/machine/outcome.js';
export type { PersistentList, PersistentMap } from './engine/machine/persistent.js';
export type {
  ModelUse,
  OutputChannel,
  Progress,
  Session,
  ToolCallEnd,
  ToolCallStart,
} from './engine/machine/progress.js';
export { type Cursor, initialState, type RunState, type RunStatus } from './engine/machine/state.js';
export type { Usage } from './engine/machine/usage.js';
export { askMultiple } from './engine/runtime/ask-multiple.js';
export type { Checkpoint } from './engine/runtime/checkpoint.js';
export { type Clock, systemClock } from './engine/runtime/clock.js';
export type { EventsOptions } from './engine/runtime/event-feed.js';
export type { ExtensionRecord } from './engine/runtime/extension-record.js';
export { type FileSystem, nodeFileSystem } from './engine/runtime/file-system.js';
export { followEvents } from './engine/runtime/follow-events.js';
export { HandlerRegistry } from './engine/runtime/handler-registry.js';
export {
  absentInterviewer,
  type Interviewer,
  questionSettled,
  type Warn,
} from './engine/runtime/interviewer.js';
export { matchAnswer } from './engine/runtime/match-answer.js';
export { isMultiSelect, type MultiSelectAnswer, selectedOptions } from './engine/runtime/multi-select.js';
export type { PauseRequest } from './engine/runtime/pause-request.js';
export { readCheckpoint } from './engine/runtime/read-checkpoint.js';
export { RunError, type RunErrorCode } from './engine/runtime/run-error.js';
export type { SecretsOption } from './engine/runtime/run-redactor.js';
export type { Quality, RunResult, UsedBudget } from './engine/runtime/run-result.js';
export { readScript, type ScriptEntry, type SimulationScript } from './engine/runtime/simulation-script.js';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './engine/runtime/virtual-clock.js';
export { type Execution, start, startResuming } from './execution.js';
export {
  type Closable,
  definePlugin,
  type Plugin,
  type PluginBackend,
  type PluginEnvironment,
  type PluginFactory,
  type PluginHandler,
  type PluginInterviewer,
} from './extension/plugin.js';
export { type FixedText, fix } from './fix.js';
export { type ForkedRun, type ForkOptions, fork } from './fork-run.js';
export { type FormatResult, format } from './format/format.js';
export {
  type AttributeDefinition,
  type AttributeOwner,
  attributeDefinition,
  attributeNames,
  edgeAttribute,
  graphAttribute,
  nodeAttribute,
} from './graph/attributes.js';
export { evaluateCondition } from './graph/evaluate-condition.js';
export type {
  Attribute,
  AttributeMap,
  AttributeValue,
  Duration,
  Edge,
  Graph,
  Node,
  Subgraph,
} from './graph/graph.js';
export { type HandlerType, handlerTypes } from './graph/handler-types.js';
export type { JsonValue } from './graph/json.js';
export type { HandlerDescription } from './graph/known-handler-types.js';
export { type LoweringResult, lower } from './graph/lower.js';
export type { ModelChoice } from './graph/model-choice.js';
export type { Program, ProgramEdge, ProgramNode } from './graph/program.js';
export { exitNodes, incomingEdges, outgoingEdges, startNodes } from './graph/queries.js';
export { selectEdge } from './graph/select-edge.js';
export type { WaysOut } from './graph/ways-out.js';
export { alongside } from './interviewers/alongside.js';
export { autoApproveInterviewer } from './interviewers/auto-approve.js';
export { type CallbackOptions, callbackInterviewer, type GivenAnswer } from './interviewers/callback.js';
export { type Console, type ConsoleInterviewer, consoleInterviewer } from './interviewers/console.js';
export { type FileInterviewer, type FileInterviewerOptions, fileInterviewer } from './interviewers/file.js';
export { firstOf } from './interviewers/first-of.js';
export { queueInterviewer } from './interviewers/queue.js';
export { type Recording, type RecordingInterviewer, recordingInterviewer } from './interviewers/recording.js';
export { lint } from './lint/lint.js';
export type { Finding, LintContext, LintRule } from './lint/rule.js';
export { type RuleEntry, ruleCatalog } from './lint/rule-catalog.js';
export type { RuleSetting } from './lint/rule-settings.js';
export { builtInRules } from './lint/rules/index.js';
export type { CheckShell, ShellProblem } from './lint/shell-check.js';
export { ValidationError, validate, validateOrRaise } from './lint/validate.js';
export type { Condition } from './parser/condition/ast.js';
export { parseCondition } from './parser/condition/parse.js';
export type { DotDocument, DotParseResult, Statement } from './parser/dot/ast.js';
export { parseDot } from './parser/dot/parse.js';
export { parseStylesheet } from './parser/stylesheet/parse.js';
export { type Rerouting, reroute, type Way } from './reroute.js';
export {
  type ChildOrigin,
  type CommonRunOptions,
  cancel,
  type InvalidPipeline,
  type ResumeOptions,
  type RunOptions,
  resume,
  run,
} from './run.js';
export { findSecrets, type Variables } from './secrets/find-secrets.js';
export type { Literal } from './secrets/literal-matcher.js';
export { makeRedactor, noRedactor, type Redactor } from './secrets/redactor.js';
export type { Secret } from './secrets/secret.js';
export type { TextStream } from './secrets/text-stream.js';
export { type SimulationOptions, type SimulationResult, simulate } from './simulate.js';
export { applyTransforms, builtInTransforms, type TransformLike } from './transforms/index.js';
export type { Transform } from './transforms/transform.js';
export { type ReplayVerdict, verifyReplay } from './verify-replay.js';
export { version } from './version.js';
