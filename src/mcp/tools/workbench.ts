import type { CompileOptions } from '../../compiler/compile.js';
import type { CallResult } from '../../setup/call-result.js';
import type { ServedRuns } from './served-runs.js';

/** What tools ask of the machine: files of the working directory, the command line, and runs. */
export interface Workbench {
  /** @throws UsageError for a file that is missing, outside the working directory, or not text */
  read(argument: PipelineArgument): Promise<PipelineText>;
  /**
   * Path of a file that need not exist, for the command line and messages.
   * @throws UsageError for a path that leads out of the working directory
   */
  locate(file: string): string;
  /** @throws UsageError for a path that leads out of the working directory, and one that cannot be written */
  write(file: string, content: string | Uint8Array): void;
  /** Writes texts to a temporary directory for as long as a call takes. */
  withFiles<Result>(
    files: Readonly<Record<string, string>>,
    use: (directory: string) => Promise<Result>,
  ): Promise<Result>;
  /** Calls the command line in a process of its own, which ends after a while. */
  attractor(args: readonly string[], options: CommandOptions): Promise<CallResult>;
  readonly runs: ServedRuns;
}

/** Pipeline as a call gives it: one of the two. */
export interface PipelineArgument {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
}

export interface CommandOptions {
  readonly signal: AbortSignal;
  /** Text of standard input. */
  readonly input?: string;
}

/** Pipeline that a call names or brings along. */
export interface PipelineText {
  /** Name for messages. */
  readonly name: string;
  readonly text: string;
  /** Path as the call gives it; undefined for a text. */
  readonly file: string | undefined;
  /** True if a file with properties is next to it. */
  readonly hasPropertyFile: boolean;
  /** Configuration and plugins of its directory. */
  readonly options: CompileOptions;
}
