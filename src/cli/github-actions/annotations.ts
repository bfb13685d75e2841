import { printableLines } from '../../diagnostic/printable.js';
import { lineRange } from '../../diagnostic/render-json.js';
import type { SourceText } from '../../diagnostic/source.js';
import { workflowCommand } from '../../diagnostic/workflow-command.js';
import type { Program } from '../../graph/program.js';
import type { RunResult } from '../../view/run-result.js';

/** Where the nodes of a run stand in the repository. */
export interface AnnotatedPipeline {
  readonly program: Program;
  readonly source: SourceText;
  /** Path from the root of the repository; undefined for a pipeline that is not a file in it. */
  readonly file: string | undefined;
}

/**
 * Workflow commands that put a failure, or what a run waits for, at its node. A stage that has succeeded since has none:
 * errors where all is well would soon be ignored.
 */
export function annotations(result: RunResult, pipeline: AnnotatedPipeline): readonly string[] {
  const { status, failed_node: failed, failed_stages: stages, paused_reason: reason = '' } = result;
  const level = status === 'fail' ? 'error' : 'warning';
  const nodes = new Set([...stages, ...(failed === undefined ? [] : [failed])]);
  const failures = [...nodes].map((node) =>
    annotation(level, node, `Stage "${node}" failed`, failureText(result, node), pipeline),
  );
  const { waiting_node: waiting } = result;
  return waiting === undefined
    ? failures
    : [...failures, annotation('notice', waiting, 'The run waits for an answer', reason, pipeline)];
}

function failureText({ failed_node, failure_reason, failures }: RunResult, node: string): string {
  const own = failures.find(({ node_id: id }) => id === node)?.reason;
  return (node === failed_node ? failure_reason : own) ?? own ?? 'failed';
}

function annotation(
  level: string,
  node: string,
  title: string,
  text: string,
  { program, source, file }: AnnotatedPipeline,
): string {
  const span = program.nodes.get(node)?.node.span;
  const range = span === undefined ? undefined : lineRange(span, source);
  const place =
    file === undefined || range === undefined ? {} : { file, line: range.line, col: range.column };
  return workflowCommand(level, { ...place, title: printableLines(title) }, printableLines(text));
}
