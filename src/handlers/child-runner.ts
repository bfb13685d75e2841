import type { JsonValue } from '../graph/json.js';

/**
 * Runs a pipeline as a run below the stage that asks for it (§9.4), with its own directory, journal and
 * result. A child that was interrupted or paused continues where it stopped; one that has ended is not run
 * again.
 */
export type RunChild = (request: ChildRequest) => ChildRun;

export interface ChildRequest {
  /** DOT file, relative to the file of the stage's pipeline. */
  readonly file: string;
  /** Directory in which the tools of the child run. */
  readonly workingDirectory: string;
  readonly inputs: Readonly<Record<string, JsonValue>>;
}

/** Child run under way. It stops when its stage is stopped: it pauses if the stage will run again. */
export interface ChildRun {
  /** Result of the child; rejects if the run directory cannot be read or written any more. */
  readonly end: Promise<ChildEnd>;
  /** Current activity of the child. */
  telemetry(): ChildTelemetry;
  /**
   * Writes a file into the directories of its running stages.
   * @returns the ids of their nodes; none if no stage is running
   */
  steer(fileName: string, text: string): readonly string[];
  /** Cancels the child; `end` follows. */
  cancel(): void;
}

export type ChildEnd =
  | { readonly kind: 'ended'; readonly result: ChildResult }
  /**
   * It cannot continue now, for example because nobody can answer; it continues when the stage runs again.
   */
  | { readonly kind: 'paused'; readonly reason: string }
  /** The file does not exist. */
  | { readonly kind: 'missing'; readonly file: string; readonly isSimulated: boolean }
  /** It must not run: lint found errors, or pipelines are nested too deep. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It does not take these inputs; others may fit (SEMANTICS 101). */
  | { readonly kind: 'inputs_refused'; readonly reason: string };

/** Part of a child's result that a stage needs. */
export interface ChildResult {
  readonly run_id: string;
  readonly run_dir: string;
  readonly status: 'success' | 'fail' | 'cancelled';
  readonly quality: string;
  readonly failure_reason?: string;
  readonly failed_node?: string;
  readonly failed_stages: readonly string[];
  readonly steps: number;
  /** Context with the values themselves, even if the child has stored them as artifacts. */
  readonly context: Readonly<Record<string, JsonValue>>;
}

/** State of a child for its supervisor (§4.11). */
export interface ChildTelemetry {
  readonly runId: string;
  readonly directory: string;
  /** Ids of the nodes whose stages are running. */
  readonly activeStages: readonly string[];
  readonly lastStage: string | undefined;
  /** Number of settled stages. */
  readonly completed: number;
  readonly retries: number;
  /** Number of failed attempts. */
  readonly failures: number;
  readonly artifacts: number;
  /** The latest event, in words. */
  readonly lastEvent: string;
}
