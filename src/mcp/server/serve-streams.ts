import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../handlers/error-category.js';
import type { McpOptions } from './mcp-options.js';
import { RunHome } from './run-home.js';
import { openSession } from './session.js';

export interface ClientStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** Longest message of a client, in bytes. */
const longestMessage = 64 * 1024 * 1024;

/**
 * Serves one client over standard streams, until it closes them or `stopped` is aborted. Its runs are paused then, as at the end
 * of a terminal, and can be resumed.
 */
export async function serveStreams(
  options: McpOptions,
  { stdin, stdout }: ClientStreams,
  stopped: AbortSignal,
): Promise<void> {
  const home = new RunHome(options.server, options.log);
  const { server, end } = openSession(options, home);
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage });
  const gone = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.on(event, () => resolve());
    stdout.on('error', () => resolve());
    stopped.addEventListener('abort', () => resolve());
    server.server.onclose = resolve;
  });
  server.server.onerror = (error) => answerMalformed(error, stdout);
  await server.connect(transport);
  await gone;
  end();
  await home.close();
  await server.close();
}

/** Answers a line that is not a message of the protocol; its id is not known. */
function answerMalformed(error: Error, stdout: Writable): void {
  const isText = error instanceof SyntaxError;
  const isMessage = error.name === 'ZodError' || error.name === '$ZodError';
  if (!isText && !isMessage) return;
  const [code, message] = isText
    ? [ErrorCode.ParseError, `a message is not JSON: ${messageOf(error)}`]
    : [ErrorCode.InvalidRequest, 'a message is not a request, a notification or an answer of JSON-RPC 2.0'];
  stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
}
