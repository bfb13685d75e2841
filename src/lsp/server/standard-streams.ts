import path from 'node:path';
import { createConnection } from 'vscode-languageserver/node';
import type { CompileOptions } from '../../compiler/compile.js';
import { makeTemporaryDirectory } from '../../handlers/make-directories.js';
import { layoutTask } from '../../render/layout-task.js';
import { callAttractor } from '../../setup/call-attractor.js';
import { checkShell } from '../../setup/check-shell.js';
import { compileOptionsOf, extensionsForEach } from '../../setup/extensions.js';
import { installedPrograms } from '../../setup/installed-programs.js';
import { ThreadPool } from '../../threads/thread-pool.js';
import { serveLanguage } from './language-server.js';
import { modelSuggestions } from './model-suggestions.js';
import { runFacts } from './run-facts.js';
import type { ServerPorts } from './session.js';
import type { Settings } from './settings.js';
import { nodeTimers } from './timers.js';
import { nodeFiles } from './workspace/node-files.js';

/** Process of a language server. */
export interface ServerProcess {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}

/**
 * Serves an editor over the standard streams of this process. The process ends with the editor: when it says so, closes the streams,
 * or is gone.
 */
export function serveOnStandardStreams(io: ServerProcess): Promise<number> {
  serveLanguage(createConnection(io.stdin, process.stdout), portsOf(io));
  // The connection ends the process (§ "Exit Notification" of the protocol).
  return new Promise(() => undefined);
}

/** Limits of drawings: an editor asks for one after each pause in typing. */
const layoutLimits = { timeoutMs: 20_000, mostWaiting: 20 };

function portsOf(io: ServerProcess): ServerPorts {
  const place = { env: io.env, cwd: () => io.cwd(), stderr: io.stderr };
  const withConfiguration = () => extensionsForEach({}, place);
  let extensionsOf = withConfiguration();
  const withoutConfiguration = extensionsForEach({ config: false }, place);
  const drawings = new ThreadPool({ ...layoutTask, ...layoutLimits });
  return {
    files: nodeFiles,
    timers: nodeTimers,
    async compileOptions(file: string, { configuration }: Settings): Promise<CompileOptions> {
      return compileOptionsOf(await (configuration ? extensionsOf : withoutConfiguration)(file));
    },
    forgetConfiguration() {
      extensionsOf = withConfiguration();
    },
    checkShell,
    isInstalled: installedPrograms(io.env.PATH, io.cwd()),
    models: modelSuggestions,
    facts: runFacts,
    attractor: callAttractor,
    layout: (dot) => drawings.run(dot),
    temporaryFile: (name) => path.join(makeTemporaryDirectory('attractor-'), name),
  };
}
