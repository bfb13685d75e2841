import { type Compilation, compileJudged } from '../../compiler/compile.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import type { DiagnosticJson } from '../api/problem.js';
import { invalidPipeline } from './invalid-pipeline.js';
import type { JudgePipeline, JudgeRequest } from './judge-pipeline.js';

/** A pipeline that was judged on another thread, and compiled here. */
export interface JudgedPipeline {
  /** Without a program if lint has found an error, and without findings. */
  readonly compilation: Compilation;
  /** What lint has found. */
  readonly diagnostics: readonly DiagnosticJson[];
  /** Number of errors that lint has found. */
  readonly errors: number;
}

/**
 * Compiles a text for a run: the long part of it, lint, is what the judge does. A text that cannot be read is not compiled:
 * nothing else about it would be certain, and reading it again could take seconds.
 * @throws ProblemError `invalid_pipeline` for a text with syntax errors
 */
export async function judgedPipeline(
  request: Omit<JudgeRequest, 'mostJudged' | 'checks'>,
  judge: JudgePipeline,
): Promise<JudgedPipeline> {
  const { text, name, extensions } = request;
  const { diagnostics, summary } = await judge({ ...request, mostJudged: undefined, checks: 'all' });
  if (diagnostics.some(({ rule, severity }) => rule === 'syntax' && severity === 'error'))
    throw invalidPipeline(diagnostics, summary.errors);
  const compilation = compileJudged(text, { name, ...compileOptionsOf(extensions) }, summary.errors === 0);
  return { compilation, diagnostics, errors: summary.errors };
}
