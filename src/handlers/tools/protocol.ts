import type { Literal } from '../../secrets/literal-matcher.js';

/** Requests to a spawner, one JSON object a line. */
export type SpawnerRequest =
  | ({ readonly kind: 'run'; readonly id: number } & ToolOrder)
  | { readonly kind: 'stop'; readonly id: number }
  /** Secrets that tools may print but files must not keep, with the number by which orders refer to them. */
  | { readonly kind: 'secrets'; readonly number: number; readonly literals: readonly Literal[] };

/** A tool to run (SEMANTICS 59a). */
export interface ToolOrder {
  readonly command: string;
  readonly directory: string;
  /** Differences of its environment from that of the spawner: variables to set, and `unset` to leave out. */
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
  /**
   * Files for its outputs; each is created with the first byte, and so is their directory, if only that is
   * missing.
   */
  readonly stdout: string;
  readonly stderr: string;
  /**
   * File that lists the tool while and after it runs; without it, a tool cannot be found after all other
   * processes were killed.
   */
  readonly register?: string;
  /** Number of the secrets to remove from these files, which were sent before; none if undefined. */
  readonly secrets?: number;
}

/** Replies of a spawner, one JSON object a line. */
export type SpawnerReply =
  /**
   * Of a tool that takes more than a moment, so that its owner can end it when the spawner cannot.
   * @see startOf for `began`
   */
  | {
      readonly kind: 'started';
      readonly id: number;
      readonly pid: number;
      readonly began: number | undefined;
    }
  | ({ readonly kind: 'ended'; readonly id: number } & ToolEnd);

export interface ToolEnd {
  readonly exit: ToolExit;
  /** Size of each file in bytes. */
  readonly stdout: number;
  readonly stderr: number;
}

/** End of a tool. */
export type ToolExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** It could not be started, or its output could not be kept. */
  | { readonly kind: 'error'; readonly message: string }
  /** Unknown, because the spawner ended before it. */
  | { readonly kind: 'lost'; readonly message: string };
