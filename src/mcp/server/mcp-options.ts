import type { ServerOptions } from '../../server/server-options.js';
import type { CallResult } from '../../setup/call-result.js';
import type { Log } from '../../telemetry/log.js';

/** What both ways of serving coding agents need. */
export interface McpOptions {
  /** Options of the runs, and of the address with HTTP. */
  readonly server: ServerOptions;
  readonly log: Log;
  /** Calls the command line in the working directory. */
  readonly attractor: (args: readonly string[], signal: AbortSignal, input?: string) => Promise<CallResult>;
}
