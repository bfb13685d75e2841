import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { askPersonOf } from './ask-person.js';
import { localWorkbench } from './local-workbench.js';
import type { McpOptions } from './mcp-options.js';
import { attractorServer } from './mcp-server.js';
import type { RunHome } from './run-home.js';
import { SessionRuns } from './session-runs.js';

/** One client of a server. */
export interface Session {
  readonly server: McpServer;
  /** Asks the person at the client nothing any more; runs continue. */
  end(): void;
}

export function openSession({ server: options, log, attractor }: McpOptions, home: RunHome): Session {
  let runs: SessionRuns | undefined;
  const environment = {
    cwd: () => options.workingDirectory,
    env: options.variables,
    stderr: { write: (text: string) => log.write('warning', text.trimEnd().replace(/^attractor: /, '')) },
  };
  const server = attractorServer((connected) => {
    runs = new SessionRuns(home, askPersonOf(connected), log);
    return localWorkbench({ environment, extensions: options.extensions, attractor, runs });
  }, log);
  return { server, end: () => runs?.end() };
}
