import { type BackendPlan, planBackend } from '../backend-plan.js';
import { preflightChecks } from './checks/index.js';
import type { Finding } from './finding.js';
import { plannedPipelines } from './planned-pipelines.js';
import type { CheckFinding, PreflightRun } from './preflight-check.js';

/** Run to be looked at before it begins or continues. */
export interface PreflightCall extends Omit<PreflightRun, 'pipelines' | 'plan'> {
  /**
   * Nodes of a resumed run that can still be visited, undefined if that is not known; called only if
   * something is found about the whole of it, because the answer takes a look at the journal.
   */
  readonly stagesLeft?: () => ReadonlySet<string> | undefined;
}

export interface Preflight {
  readonly findings: readonly Finding[];
  readonly plan: BackendPlan;
}

/**
 * Looks at everything that can be known before a run begins (SEMANTICS 121): all checks, children included.
 * Findings come in the order of the checks.
 * @throws UsageError for the name of a backend that does not exist
 */
export async function preflight(call: PreflightCall): Promise<Preflight> {
  const whole = await lookAt(call, undefined);
  if (whole.findings.length === 0) return whole;
  const left = call.stagesLeft?.();
  return left === undefined ? whole : lookAt(call, left);
}

async function lookAt(call: PreflightCall, left: ReadonlySet<string> | undefined): Promise<Preflight> {
  const pipelines = plannedPipelines(call, left);
  const plan = await planBackend(call, pipelines);
  const run: PreflightRun = { ...call, pipelines, plan };
  const findings = preflightChecks
    .filter(({ isAboutRealWork }) => !(isAboutRealWork && call.simulate))
    .flatMap(({ id, isAboutMachine, find }) =>
      (call.isSubmitted && isAboutMachine ? elsewhere(find(run)) : [...find(run)]).map(
        ({ severity, stages = [], message, help }): Finding => ({
          check: id,
          severity,
          stages,
          message,
          help,
        }),
      ),
    );
  return { findings, plan };
}

/** What is missing here may be there on the workers, so it does not refuse the run. */
function elsewhere(findings: Iterable<CheckFinding>): readonly CheckFinding[] {
  return [...findings]
    .filter(({ severity }) => severity !== 'info')
    .map(({ stages, message }) => ({
      severity: 'warning',
      stages,
      message: `on this machine, ${message}`,
      help: 'nothing, if each worker that may take the run has it',
    }));
}
