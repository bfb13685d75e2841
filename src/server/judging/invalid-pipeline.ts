import type { Finding } from '../../setup/preflight/finding.js';
import type { DiagnosticJson } from '../api/problem.js';
import { ProblemError } from '../problem-error.js';

/**
 * Refusal of a pipeline in which lint has found an error.
 * @param errors number of all errors, of which `diagnostics` may have only the first
 * @param findings of the checks before a run
 */
export function invalidPipeline(
  diagnostics: readonly DiagnosticJson[],
  errors: number,
  findings?: readonly Finding[],
): ProblemError {
  const found = errors === 1 ? 'an error' : `${errors} errors`;
  return new ProblemError('invalid_pipeline', `the pipeline has ${found}, so it cannot run`, {
    diagnostics,
    findings,
  });
}
