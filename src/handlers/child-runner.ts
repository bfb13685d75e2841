import type { JsonValue } from '../graph/json.js';

/**
 * Runs a pipeline as a run of its own, below the stage that asks for it (§9.4): with its own directory, journal and
 * result. A child that was cut off or paused continues where it stopped; one that has ended is not run again.
 */
export type RunChild = (request: ChildRequest) => ChildRun;

export interface ChildRequest {
  /** The DOT file, seen from the file of the pipeline that the stage is in. */
  readonly file: string;
  /** Where the tools of the child run. */
  readonly workingDirectory: string;
  readonly inputs: Readonly<Record<string, JsonValue>>;
}

/** A child run under way. It stops when its stage is stopped: it pauses where the stage will run again. */
export interface ChildRun {
  /** What came of it; rejects where the run directory cannot be read or written any more. */
  readonly end: Promise<ChildEnd>;
  /** What it is doing now. */
  telemetry(): ChildTelemetry;
  /**
   * Writes a file into the directories of the stages that it is at.
   * @returns the ids of their nodes; none where no stage is under way
   */
  steer(fileName: string, text: string): readonly string[];
  /** `end` follows. */
  cancel(): void;
}

export type ChildEnd =
  | { readonly kind: 'ended'; readonly result: ChildResult }
  /** It cannot continue now, as when nobody answers; it does when the stage runs again. */
  | { readonly kind: 'paused'; readonly reason: string }
  /** There is no such file. */
  | { readonly kind: 'missing'; readonly file: string; readonly isSimulated: boolean }
  /** It must not run: lint found errors, or pipelines are nested too deep. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What a stage needs of the result of its child. */
export interface ChildResult {
  readonly run_id: string;
  readonly run_dir: string;
  readonly status: 'success' | 'fail' | 'cancelled';
  readonly quality: string;
  readonly failure_reason?: string;
  readonly failed_node?: string;
  readonly failed_stages: readonly string[];
  readonly steps: number;
  /** With the values themselves where the child has put them into artifacts. */
  readonly context: Readonly<Record<string, JsonValue>>;
}

/** What a supervisor sees of its child (§4.11). */
export interface ChildTelemetry {
  readonly runId: string;
  readonly directory: string;
  /** Ids of the nodes whose stages are under way. */
  readonly activeStages: readonly string[];
  readonly lastStage: string | undefined;
  /** Stages that have settled. */
  readonly completed: number;
  readonly retries: number;
  /** Failed attempts. */
  readonly failures: number;
  readonly artifacts: number;
  /** The latest event, in words. */
  readonly lastEvent: string;
}
