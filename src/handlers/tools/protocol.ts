import type { Literal } from '../../secrets/literal-matcher.js';

/** What a spawner is told, one JSON object a line. */
export type SpawnerRequest =
  | ({ readonly kind: 'run'; readonly id: number } & ToolOrder)
  | { readonly kind: 'stop'; readonly id: number }
  /** What tools may print that must not be kept, by a number that orders name it by. */
  | { readonly kind: 'secrets'; readonly number: number; readonly literals: readonly Literal[] };

/** A tool to run (SEMANTICS 59a). */
export interface ToolOrder {
  readonly command: string;
  readonly directory: string;
  /** How its environment differs from that of the spawner: variables to set, and variables to leave out. */
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
  /** Files for its outputs; each comes into being with the first byte, and their directory too, if only that is missing. */
  readonly stdout: string;
  readonly stderr: string;
  /** File that lists the tool while and after it runs; without it, nobody finds a tool whose processes all were killed but itself. */
  readonly register?: string;
  /** What is kept out of these files, told before; without it nothing is. */
  readonly secrets?: number;
}

/** What a spawner says, one JSON object a line. */
export type SpawnerReply =
  /** @see startOf for `began` */
  | {
      readonly kind: 'started';
      readonly id: number;
      readonly pid: number;
      readonly began: number | undefined;
    }
  | ({ readonly kind: 'ended'; readonly id: number } & ToolEnd);

export interface ToolEnd {
  readonly exit: ToolExit;
  /** How many bytes each file has. */
  readonly stdout: number;
  readonly stderr: number;
}

/** How a tool ended. */
export type ToolExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** It could not be started, or its output could not be kept. */
  | { readonly kind: 'error'; readonly message: string }
  /** Nobody knows: the spawner ended before it. */
  | { readonly kind: 'lost'; readonly message: string };
