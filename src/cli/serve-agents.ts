import type { McpOptions } from '../mcp/server/mcp-options.js';
import { callAttractor } from '../setup/call-attractor.js';
import { redactorOf } from '../setup/keys.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';
import { type ServedRunsArguments, serverOptionsOf } from './serve-options.js';
import { tokenFileOf } from './token-file.js';

/** Arguments of `attractor mcp`. */
export interface McpArguments extends ServedRunsArguments {
  readonly http?: true;
  readonly port: number;
  readonly tokenFile?: string;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Serves coding agents until the client is gone or a signal comes; runs under way are paused then.
 * @returns the exit status
 * @throws UsageError if it cannot be started
 */
export async function serveAgents(args: McpArguments, io: Io): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of signals) io.on(signal, stop);
  try {
    const options = await optionsOf(args, io);
    if (args.http) {
      const { serveHttp } = await import('../mcp/server/serve-http.js');
      await serveHttp(options, stopping.signal, (text) => io.stderr.write(text));
      return exitCode.interrupted;
    }
    if (io.stdin.isTTY)
      io.stderr.write(
        'attractor: a client speaks to this server over standard input; Ctrl-C ends it. To register it with a coding agent: attractor init --agent NAME\n',
      );
    const { serveStreams } = await import('../mcp/server/serve-streams.js');
    await serveStreams(options, { stdin: io.stdin, stdout: process.stdout }, stopping.signal);
    return stopping.signal.aborted ? exitCode.interrupted : exitCode.ok;
  } finally {
    for (const signal of signals) io.off(signal, stop);
  }
}

async function optionsOf(args: McpArguments, io: Io): Promise<McpOptions> {
  const { lineLog } = await import('../telemetry/log.js');
  const [cwd, variables] = [io.cwd(), io.env];
  const address = {
    host: '127.0.0.1',
    port: args.port,
    allowedHosts: [],
    tokenFile: args.http ? tokenFileOf(args.tokenFile, cwd, variables) : '',
    maxBodyBytes: 4 * 1024 * 1024,
    requestsPerSecond: 200,
    // What an agent has left behind continues when somebody asks for it.
    onRestart: 'offer',
  } as const;
  return {
    server: serverOptionsOf(args, address, { command: 'attractor mcp', cwd, variables }),
    log: lineLog({
      format: 'text',
      write: (line) => io.stderr.write(line),
      redactor: redactorOf(io),
      now: () => Date.now(),
    }),
    attractor: (call, signal, input) => callAttractor(call, cwd, signal, input),
  };
}
