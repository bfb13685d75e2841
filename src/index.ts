// The public API of `attractor-dot`. Everything else may change without notice.

export type { ClosableBackend } from './backends/backend.js';
export { type BackendOptions, createBackend } from './backends/create-backend.js';
export type { BackendSettingsInput } from './backends/settings.js';
export { type Compilation, type CompileOptions, compile } from './compiler/compile.js';
export { type FixedText, fix } from './compiler/fix.js';
export { type AppliedFixes, applyFixes } from './diagnostic/apply-fixes.js';
export {
  countDiagnostics,
  type Diagnostic,
  type DiagnosticCounts,
  type Fix,
  hasErrors,
  type RelatedLocation,
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
export { type FormatResult, format } from './format/format.js';
export type { AttributeDefinition } from './graph/attribute-tables/attribute-definition.js';
export {
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
export type { StageRoutes } from './graph/stage-routes.js';
export type { Artifacts } from './handlers/artifacts.js';
export type {
  ChildEnd,
  ChildRequest,
  ChildResult,
  ChildRun,
  ChildTelemetry,
  RunChild,
} from './handlers/child-runner.js';
export { codergenHandler } from './handlers/codergen.js';
export type { BackendCall, BackendReply, CodergenBackend } from './handlers/codergen-backend.js';
export { Context } from './handlers/context.js';
export type { ShouldRetry } from './handlers/error-category.js';
export {
  type Carryover,
  type Handler,
  type Stage,
  StageCrash,
  StageSuspension,
} from './handlers/handler.js';
export type { QuestionDraft, QuestionTypeName } from './handlers/question-draft.js';
export type { EventsOptions } from './journal/event-feed.js';
export { followEvents } from './journal/follow-events.js';
export { lint } from './lint/lint.js';
export type {
  ChildPipeline,
  CompiledChild,
  NamedFile,
  PipelineFiles,
  UnreadFile,
} from './lint/named-files.js';
export type { Finding, LintContext, LintRule } from './lint/rule.js';
export { type RuleEntry, ruleCatalog } from './lint/rule-catalog.js';
export type { RuleSetting } from './lint/rule-settings.js';
export { builtInRules } from './lint/rules/index.js';
export type { CheckShell, ShellProblem } from './lint/shell-check.js';
export { ValidationError, validate, validateOrRaise } from './lint/validate.js';
export { type Decision, decide } from './machine/decide.js';
export type { Effect } from './machine/effect.js';
export type { EventBody, RunEvent } from './machine/event.js';
export { evolve } from './machine/evolve/evolve.js';
export type { FailureCategory } from './machine/failure-category.js';
export type { FidelityMode } from './machine/fidelity.js';
export type { Input, InputBody } from './machine/input.js';
export type { Answer, Question, QuestionOption, QuestionType } from './machine/interview.js';
export { failure, isSuccessful, type Outcome, type StageStatus } from './machine/outcome.js';
export type { PersistentList, PersistentMap } from './machine/persistent.js';
export type {
  ModelUse,
  OutputChannel,
  Progress,
  Session,
  ToolCallEnd,
  ToolCallStart,
} from './machine/progress.js';
export { type Cursor, initialState, type RunState, type RunStatus } from './machine/state.js';
export type { Usage } from './machine/usage.js';
export type { Condition } from './parser/condition/ast.js';
export { parseCondition } from './parser/condition/parse.js';
export type { DotDocument, DotParseResult, Statement } from './parser/dot/ast.js';
export { parseDot } from './parser/dot/parse.js';
export { parseStylesheet } from './parser/stylesheet/parse.js';
export {
  type Closable,
  definePlugin,
  type Plugin,
  type PluginBackend,
  type PluginEnvironment,
  type PluginFactory,
  type PluginHandler,
  type PluginInterviewer,
} from './plugins/plugin.js';
export { type Clock, systemClock } from './run/driver/clock.js';
export { HandlerRegistry } from './run/driver/handler-registry.js';
export type { SecretsOption } from './run/driver/run-redactor.js';
export { type Execution, start, startResuming } from './run/execution.js';
export type { PauseRequest } from './run/pause-request.js';
export { type PipelineFilesOptions, pipelineFiles } from './run/pipeline-files.js';
export { askMultiple } from './run/questions/ask-multiple.js';
export { autoApproveInterviewer } from './run/questions/auto-approve.js';
export { type CallbackOptions, callbackInterviewer, type GivenAnswer } from './run/questions/callback.js';
export { type Console, type ConsoleInterviewer, consoleInterviewer } from './run/questions/console.js';
export { firstOf } from './run/questions/first-of.js';
export {
  absentInterviewer,
  type Interviewer,
  questionSettled,
  type Warn,
  waitingInterviewer,
} from './run/questions/interviewer.js';
export { matchAnswer } from './run/questions/match-answer.js';
export { isMultiSelect, type MultiSelectAnswer, selectedOptions } from './run/questions/multi-select.js';
export { queueInterviewer } from './run/questions/queue.js';
export {
  type Recording,
  type RecordingInterviewer,
  recordingInterviewer,
} from './run/questions/recording.js';
export type { AnswerReceipt, WaitingQuestion } from './run/questions/run-questions.js';
export { type ForkedRun, type ForkOptions, fork } from './run/recording/fork.js';
export { type ReroutedPath, type Rerouting, reroute } from './run/recording/reroute.js';
export { type ReplayVerdict, verifyReplay } from './run/recording/verify-replay.js';
export {
  type ChildOrigin,
  type CommonRunOptions,
  cancel,
  type InvalidPipeline,
  type ResumeOptions,
  type RunOptions,
  resume,
  run,
  type StageText,
} from './run/run.js';
export { type SimulationOptions, type SimulationResult, simulate } from './run/simulate/simulate.js';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './run/simulate/virtual-clock.js';
export type { Checkpoint } from './run-directory/checkpoint.js';
export type { ExtensionRecord } from './run-directory/extension-record.js';
export { type FileSystem, nodeFileSystem } from './run-directory/file-system.js';
export { readCheckpoint } from './run-directory/read-checkpoint.js';
export { RunError, type RunErrorCode } from './run-directory/run-error.js';
export { readScript, type ScriptEntry, type SimulationScript } from './run-directory/simulation-script.js';
export { findSecrets, type Variables } from './secrets/find-secrets.js';
export type { Literal } from './secrets/literal-matcher.js';
export { makeRedactor, noRedactor, type Redactor } from './secrets/redactor.js';
export type { Secret } from './secrets/secret.js';
export type { TextStream } from './secrets/text-stream.js';
export { checkShell } from './setup/check-shell.js';
export { applyTransforms, builtInTransforms, type TransformLike } from './transforms/index.js';
export type { Transform } from './transforms/transform.js';
export { version } from './version.js';
export type { RunResult, UsedBudget } from './view/run-result.js';
export type { Quality } from './view/run-status.js';
