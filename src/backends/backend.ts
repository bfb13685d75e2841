import type { ModelChoice } from '../graph/model-choice.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { BackendSettings } from './settings.js';

/** Description of one of our backends; its libraries load when it is made. */
export interface BackendDefinition {
  /** Name in `--backend` and the configuration. */
  readonly name: string;
  readonly summary: string;
  /** True if it is an installed program, which may do anything that the user may. */
  readonly runsPrograms?: true;
  /** True if its work costs nothing, whatever the model. */
  readonly isFree?: true;
  /**
   * Acceptance of a stage that asks for this model, determined before a run and without loading anything;
   * undefined if it belongs to another backend, and if the stage (and `settings.provider`,
   * `settings.model`) names nothing.
   */
  accepts(model: ModelChoice, environment: BackendEnvironment): Acceptance | undefined;
  /**
   * Reason why it could not do a stage that no other backend may do, in a few words; undefined if it could.
   */
  problemWith(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Reason why a budget could not stop such a stage before its turn ends, as the beginning of a sentence;
   * undefined if each request is counted.
   */
  lateUsage?(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Reason why it cannot offer the model of such a stage the tool `ask_person` (SEMANTICS 129), as the beginning of a
   * sentence; undefined if it can.
   */
  cannotAsk?(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Reason why the `system_prompt` of the pipeline begins the first prompt of a session instead (SEMANTICS 130), as the
   * beginning of a sentence; undefined if the stage has it in its system prompt.
   */
  lacksSystemPrompt?(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Name of the provider, or of the coding agent, that does such a stage, as the limits of a cluster name it; undefined if
   * there is nothing to limit.
   */
  providerOf?(model: ModelChoice, environment: BackendEnvironment): string | undefined;
  /**
   * Most requests to models that one attempt of a stage sends, repeated ones among them; if absent, only a budget stops it.
   * @param fallbacks number of models in its `llm_fallback`
   */
  mostRequests?(settings: BackendSettings, fallbacks: number): number;
  /** @throws RunError `usage` for unusable settings, before anything runs */
  create(environment: BackendEnvironment): Promise<ClosableBackend>;
}

export type Acceptance =
  | { readonly kind: 'ready' }
  /** It lacks something that the user can supply, in a few words: "ANTHROPIC_API_KEY is not set". */
  | { readonly kind: 'lacks'; readonly problem: string };

/** Environment in which a backend is made. */
export interface BackendEnvironment {
  /** Directory in which the run was started. */
  readonly workingDirectory: string;
  readonly settings: BackendSettings;
  /** Environment of the process, with the keys of a key file. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** False for untrusted pipelines: then they can run neither commands nor coding agents. */
  readonly mayRunCommands?: boolean;
}

export interface ClosableBackend extends CodergenBackend {
  /** Called once, when the run has ended or paused, so that the process can end. */
  close?(): Promise<void> | void;
}
