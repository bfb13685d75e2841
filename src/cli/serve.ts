import type { Cluster } from '../cluster/cluster.js';
import { printableLines } from '../diagnostic/printable.js';
import type { ServerOptions } from '../server/server-options.js';
import type { RunningServer } from '../server/start-server.js';
import { redactorOf } from '../setup/keys.js';
import { exitCode } from './exit-code.js';
import type { Io, ProcessEvent } from './io.js';
import { onUncaughtError, UncaughtError } from './uncaught-error.js';

/** Reason why a server stops. */
type Stop = { readonly kind: 'signal' } | { readonly kind: 'stray'; readonly thrown: unknown };

/**
 * Serves until a signal comes: then running runs are paused, to continue with the next start; a second
 * signal ends the process at once. An uncaught error stops it in the same way, because the process can no
 * longer be trusted.
 * @param cluster whose runs are served; without one, those of this machine
 * @returns the exit status
 * @throws UsageError or RunError if it cannot be started, UncaughtError
 */
export async function serve(
  options: ServerOptions,
  logFormat: 'text' | 'json',
  io: Io,
  cluster?: Cluster,
): Promise<number> {
  const { startServer } = await import('../server/start-server.js');
  const { lineLog } = await import('../telemetry/log.js');
  const log = lineLog({
    format: logFormat,
    write: (line) => io.stderr.write(line),
    redactor: redactorOf(io),
    now: () => Date.now(),
  });
  const stopping = stopOf(io);
  let server: RunningServer | undefined;
  try {
    server = await startServer(options, log, cluster);
    sayWhere(server, options, cluster !== undefined, io);
    const stop = await stopping.first;
    const reason = stop.kind === 'signal' ? 'a signal was received' : 'an error was not caught';
    const runs =
      cluster === undefined
        ? 'runs are paused, and continue at the next start'
        : 'runs continue on their workers';
    log.write('info', `stopping: ${reason}; ${runs}`);
    await server.close();
    if (stop.kind === 'stray') {
      throw new UncaughtError(stop.thrown, {
        plugins: options.extensions.plugin ?? [],
        advice:
          cluster === undefined
            ? 'the server was stopped; finished stages are kept, and its runs continue at the next start'
            : 'the server was stopped; the runs continue on their workers',
        exitStatus: exitCode.failure,
      });
    }
    return exitCode.interrupted;
  } finally {
    stopping.end();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly ProcessEvent[];

/** The first reason to stop; another signal does not wait. */
function stopOf(io: Io): { readonly first: Promise<Stop>; end(): void } {
  let stop: (cause: Stop) => void = () => undefined;
  let isStopping = false;
  const first = new Promise<Stop>((resolve) => {
    stop = (cause) => {
      isStopping = true;
      resolve(cause);
    };
  });
  const onSignal = (): void => {
    if (isStopping) process.exit(exitCode.interrupted);
    stop({ kind: 'signal' });
  };
  for (const signal of signals) io.on(signal, onSignal);
  const ignoreStrays = onUncaughtError(io, (thrown) => stop({ kind: 'stray', thrown }));
  return {
    first,
    end() {
      for (const signal of signals) io.off(signal, onSignal);
      ignoreStrays();
    },
  };
}

/** Writes the link to standard output, alone, for scripts that start a server. */
function sayWhere(
  { url, tokenUrl }: RunningServer,
  options: ServerOptions,
  hasCluster: boolean,
  io: Io,
): void {
  const { policy, home, tokenFile } = options;
  const where = hasCluster ? 'on the workers' : 'on this machine';
  const stops = hasCluster ? 'stops the server, not the runs' : 'stops the server and pauses what runs';
  const lines = [
    `serving ${hasCluster ? 'the runs of the cluster' : `the runs in ${home}`} at ${url}`,
    `  submitted pipelines ${policy.allowTools ? `can run commands ${where}` : 'cannot run commands (enable with --allow-tools)'}`,
    `  programs send "Authorization: Bearer TOKEN" with the text of ${tokenFile}`,
    `  Ctrl-C ${stops}; in a browser open the link:`,
  ];
  io.stderr.write(`attractor: ${printableLines(lines.join('\n'))}\n`);
  io.stdout.write(`${tokenUrl}\n`);
}
