// What of the public API needs no Node: `attractor-dot/core`, for browsers and whatever else runs JavaScript.

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
export { type LoweringResult, lower } from './graph/lower.js';
export type { Program, ProgramEdge, ProgramNode } from './graph/program.js';
export { exitNodes, incomingEdges, outgoingEdges, startNodes } from './graph/queries.js';
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
export type { Input, InputBody } from './machine/input.js';
export { initialState, type RunState } from './machine/state.js';
export type { Condition } from './parser/condition/ast.js';
export { parseCondition } from './parser/condition/parse.js';
export type { DotDocument, DotParseResult, Statement } from './parser/dot/ast.js';
export { parseDot } from './parser/dot/parse.js';
export { parseStylesheet } from './parser/stylesheet/parse.js';
export { type SimulationOptions, type SimulationResult, simulate } from './run/simulate/simulate.js';
export { RunError, type RunErrorCode } from './run-directory/run-error.js';
export { readScript, type ScriptEntry, type SimulationScript } from './run-directory/simulation-script.js';
export { applyTransforms, builtInTransforms, type TransformLike } from './transforms/index.js';
export type { Transform } from './transforms/transform.js';
export { version } from './version.js';
