import type { ModelChoice } from '../graph/model-choice.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { BackendSettings } from './settings.js';

/** A backend of our own, as the list of them has it; what it needs is loaded when it is made. */
export interface BackendDefinition {
  /** As `--backend` and the configuration name it. */
  readonly name: string;
  readonly summary: string;
  /** It is a program that the user has installed, which may do whatever the user may. */
  readonly runsPrograms?: true;
  /**
   * Whether a stage that asks for this model is its business, looked up before a run and without loading anything:
   * undefined for another one's, and where the stage (and `settings.provider`, `settings.model`) names nothing.
   */
  accepts(model: ModelChoice, environment: BackendEnvironment): Acceptance | undefined;
  /** Why it could not do the work of a stage that nobody else is to do, in a few words; undefined where it could. */
  problemWith(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Why a budget could not stop the work of such a stage before its turn ends, as the beginning of a sentence; undefined where each
   * request is counted.
   */
  lateUsage?(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /** @throws RunError `usage` for settings that it cannot work with: before anything runs */
  create(environment: BackendEnvironment): Promise<ClosableBackend>;
}

export type Acceptance =
  | { readonly kind: 'ready' }
  /** It would do it, but for something that the user can mend, in a few words: "ANTHROPIC_API_KEY is not set". */
  | { readonly kind: 'lacks'; readonly problem: string };

/** What is known where a backend is made. */
export interface BackendEnvironment {
  /** Where the run was started. */
  readonly workingDirectory: string;
  readonly settings: BackendSettings;
  /** The environment of the process, and with it the keys of a key file. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** False where the pipelines are not to be trusted: then nothing that they say runs a command or a coding agent. */
  readonly mayRunCommands?: boolean;
}

export interface ClosableBackend extends CodergenBackend {
  /** Called once, when the run has ended or paused, so that the process can end. */
  close?(): Promise<void> | void;
}
