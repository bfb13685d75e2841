import type { SourceText } from '../../diagnostic/source.js';
import type { Graph } from '../../graph/graph.js';
import type { Program } from '../../graph/program.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { childHome } from '../../run/children/child-file.js';
import type { Clock } from '../../run/driver/clock.js';
import type { Execution } from '../../run/execution.js';
import { absentConsole } from '../../run/questions/absent-console.js';
import { firstOf } from '../../run/questions/first-of.js';
import { waitingInterviewer } from '../../run/questions/interviewer.js';
import type { ResumeOptions, RunOptions } from '../../run/run-options.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';
import { planBackend } from '../../setup/backend-plan.js';
import type { Environment, Keys } from '../../setup/keys.js';
import { plugIn } from '../../setup/plug-in.js';
import { applyPolicy } from '../../setup/policy/apply-policy.js';
import { checkPolicy } from '../../setup/policy/check-policy.js';
import { mayRunCommands, type PolicedRun } from '../../setup/policy/policed-run.js';
import type { PlannedRun } from '../../setup/preflight/planned-pipelines.js';
import type { Log } from '../../telemetry/log.js';
import { diagnosticsJson } from '../diagnostics-json.js';
import type { JudgePipeline } from '../judging/judge-pipeline.js';
import { ProblemError } from '../problem-error.js';
import type { ServerOptions } from '../server-options.js';
import { type ObserveRun, observedPorts } from './run-observer.js';

/** Environment that all runs of a server share. */
export interface RunEnvironment {
  readonly options: ServerOptions;
  readonly log: Log;
  readonly clock: Clock | undefined;
  /** The variables, which cache their secrets. */
  readonly keyring: Environment;
  /** Judges the pipelines of runs before they begin or continue. */
  readonly judge: JudgePipeline;
  /** Observer for measurements. */
  readonly observe?: ObserveRun;
}

/** Ports between a run and its starter. */
export type RunObservers = Required<Pick<RunOptions, 'onEvent' | 'onChildEvent' | 'onNotice'>>;

/** A run that this process executes, and what it holds for it. */
export interface LaunchedRun {
  readonly execution: Execution;
  /** Releases backends and interviewers. */
  close(): Promise<void>;
}

/** A run that was checked and may begin, or continue. */
export interface ReadyRun {
  readonly program: Program;
  readonly launch: (place: ServerRunLocation, ports: RunObservers) => Promise<LaunchedRun>;
}

export interface ServerRunLocation {
  readonly id: string;
  readonly directory: string;
}

/** Parts for an execution, as in the CLI. */
export interface ReadyParts {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly keys: Keys;
  readonly script: SimulationScript;
  readonly simulate: boolean;
  readonly autoApprove: boolean;
  /** File of a run that began from one. */
  readonly sourcePath?: string | undefined;
  /** Git has kept its files so far. */
  readonly keptByGit?: boolean;
  /** It began on a server that lets no pipeline run commands (§9.5). */
  readonly isRestricted?: boolean;
  readonly environment: RunEnvironment;
}

/** Extensions of a run: handlers, backend, interviewer, as the server allows. */
export async function launchWith(
  parts: ReadyParts,
  workingDirectory: string,
  ports: RunObservers,
  start: (options: RunOptions & ResumeOptions) => Execution,
): Promise<LaunchedRun> {
  const { program, extensions, keys, simulate, autoApprove, environment } = parts;
  const { log, clock, observe } = environment;
  const plan = await planBackend(plannedRun(parts, program.graph, workingDirectory));
  const isUnattended = simulate || autoApprove;
  const plugged = await plugIn({ extensions, workingDirectory, isUnattended, plan }, absentConsole);
  const { interviewer: configured, ...options } = applyPolicy(
    plugged.options,
    policedRun(parts, workingDirectory),
  );
  // Questions stay open until an answer comes, from the page, a shell or whomever the configuration asks.
  const isAsking = configured !== undefined && configured !== absentConsole;
  const interviewer = isAsking ? firstOf(waitingInterviewer, configured) : waitingInterviewer;
  const observer = observe?.(program, keys.redactor);
  const close = (): Promise<void> => {
    observer?.stop();
    return plugged.close((problem) => log.write('warning', keys.redactor.text(problem)));
  };
  try {
    const execution = start({
      ...options,
      ...observedPorts(ports, observer, log),
      interviewer,
      secrets: keys.redactor,
      variables: keys.variables,
      clock,
      bounds: environment.options.bounds,
    });
    return { execution, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The run as the preflight sees it. */
export function plannedRun(
  parts: Omit<ReadyParts, 'program'>,
  graph: Graph,
  workingDirectory: string,
): PlannedRun {
  const { extensions, keys, simulate, script, sourcePath } = parts;
  return {
    graph,
    extensions,
    workingDirectory,
    variables: keys.variables,
    simulate,
    script,
    childDirectory: childHome(sourcePath, workingDirectory),
    mayRunCommands: mayRunCommands(policedRun(parts, workingDirectory)),
    budgets: { budgetUsd: parts.environment.options.bounds.budgetUsd },
  };
}

/**
 * Judges a pipeline by the policy of the server.
 * @throws ProblemError `not_allowed`
 */
export function judge(parts: ReadyParts, source: SourceText, workingDirectory: string): void {
  const diagnostics = checkPolicy({ program: parts.program, source }, policedRun(parts, workingDirectory));
  const [first] = diagnostics;
  if (first === undefined) return;
  throw new ProblemError('not_allowed', `the pipeline may not run here: ${first.message}`, {
    diagnostics: diagnosticsJson(diagnostics, source),
  });
}

function policedRun(parts: Omit<ReadyParts, 'program'>, workingDirectory: string): PolicedRun {
  const { extensions, keys, simulate, keptByGit = false, isRestricted = false, environment } = parts;
  const { policy } = environment.options;
  return {
    policy,
    extensions,
    simulate,
    keptByGit,
    isRestricted,
    variables: keys.variables,
    workingDirectory,
  };
}
