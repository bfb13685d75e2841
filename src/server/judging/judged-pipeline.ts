import { type Compilation, compileJudged } from '../../compiler/compile.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import type { DiagnosticJson } from '../api/problem.js';
import type { JudgePipeline, JudgeRequest } from './judge-pipeline.js';

/** A pipeline that was judged on another thread, and compiled here. */
export interface JudgedPipeline {
  /** Without a program if lint has found an error, and without findings. */
  readonly compilation: Compilation;
  /** Everything that lint has found. */
  readonly diagnostics: readonly DiagnosticJson[];
}

/** Compiles a text for a run: the long part of it, lint, is what the judge does. */
export async function judgedPipeline(
  request: Omit<JudgeRequest, 'mostJudged'>,
  judge: JudgePipeline,
): Promise<JudgedPipeline> {
  const { text, name, extensions } = request;
  const { diagnostics, summary } = await judge({ ...request, mostJudged: undefined });
  const compilation = compileJudged(text, { name, ...compileOptionsOf(extensions) }, summary.errors === 0);
  return { compilation, diagnostics };
}
