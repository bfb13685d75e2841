import { counted } from '../../diagnostic/counted.js';
import { hasErrors } from '../../diagnostic/diagnostic.js';
import type { Program } from '../../graph/program.js';
import { describeFinding, type Finding } from '../../setup/preflight/finding.js';
import { type PreflightCall, preflight } from '../../setup/preflight/preflight.js';
import { invalidPipeline } from '../judging/invalid-pipeline.js';
import type { JudgedPipeline } from '../judging/judged-pipeline.js';
import { ProblemError } from '../problem-error.js';
import { plannedRun, type ReadyParts } from './ready-run.js';

/** What a server has found about a run that may begin or continue. */
export interface CheckedRun {
  readonly program: Program;
  readonly warnings: readonly Finding[];
}

/**
 * Looks at everything that a run will need (SEMANTICS 121).
 * @throws ProblemError `invalid_pipeline` if lint has an error, `bad_request` if something is missing; each
 * has all that lint and preflight have found
 */
export async function checkReady(
  { compilation: { graph, program }, diagnostics, errors }: JudgedPipeline,
  parts: Omit<ReadyParts, 'program'>,
  workingDirectory: string,
  call: Pick<PreflightCall, 'inputs' | 'isSubmitted' | 'areFilesLinted' | 'stagesLeft'>,
): Promise<CheckedRun> {
  const { hiddenVariables, redactor } = parts.keys;
  const planned = plannedRun(parts, graph, workingDirectory);
  const { findings: bare } = await preflight({ ...planned, hiddenVariables, ...call });
  const findings = redactor.json(bare);
  if (program === undefined) throw invalidPipeline(diagnostics, errors, findings);
  if (hasErrors(findings)) throw notReady(findings);
  return { program, warnings: findings.filter(({ severity }) => severity === 'warning') };
}

function notReady(findings: readonly Finding[]): ProblemError {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const lines = errors.map((finding) => `\n  ${describeFinding(finding)}`);
  const what = counted(errors.length, 'problem');
  return new ProblemError('bad_request', `nothing was started, because of ${what}:${lines.join('')}`, {
    findings,
  });
}
