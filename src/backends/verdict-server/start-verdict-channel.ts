import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import type { StageRoutes } from '../../graph/stage-routes.js';
import { makeTemporaryDirectory, temporaryPlace } from '../../handlers/make-directories.js';
import { askPersonDefinition } from '../ask-person.js';
import { type VerdictReading, verdictDefinition } from '../verdict.js';
import { answerMcp, type ServedTool, verdictServerName } from './answer-mcp.js';
import type { AskRegister } from './ask-register.js';
import { relayCode } from './relay-code.js';
import { VerdictRegister } from './verdict-register.js';

/** MCP server that an agent is to start to reach the tools `report_outcome` and `ask_person`. */
export interface VerdictServer {
  /** Prefix of the tool's name in agents. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The server, with its result. */
export interface VerdictChannel extends VerdictServer {
  /** Verdict so far; undefined until the agent has tried to give one. */
  result(): VerdictReading | undefined;
  /** True if it has given so many unusable verdicts that no further one is accepted. */
  isExhausted(): boolean;
  /** True while a person is awaited, so that a clock of the agent must not run out. */
  isAsking(): boolean;
  /** Aborted with the reason why the agent must be stopped at once. */
  readonly ending: AbortSignal | undefined;
  /** Ends the server and every process that the agent has started for it. */
  close(): Promise<void>;
}

/** Maximum of characters of a line; a longer one is not a verdict. */
const longestLine = 4 * 1024 * 1024;

/**
 * Offers `report_outcome` to an agent program (Appendix C), with the stage's own routes, and `ask_person`. The agent
 * starts a relay; the calls themselves are answered here, over a socket in a directory that only this user can
 * enter.
 * @param routes undefined if the stage needs no verdict
 * @param people undefined if nobody may be asked
 */
export async function startVerdictChannel(
  routes: StageRoutes | undefined,
  people?: AskRegister,
): Promise<VerdictChannel> {
  const register = routes && new VerdictRegister(routes);
  const tools: ServedTool[] = [];
  if (routes !== undefined && register !== undefined)
    tools.push({ definition: verdictDefinition(routes), take: (input) => register.take(input) });
  if (people !== undefined)
    tools.push({ definition: askPersonDefinition(), take: (input) => people.take(input) });
  const directory = makeTemporaryDirectory('attractor-', placeForSockets());
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    answerLines(socket, tools);
  });
  const close = async (): Promise<void> => {
    for (const socket of connections) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const relay = path.join(directory, 'verdict.cjs');
    const address = path.join(directory, 'socket');
    await writeFile(relay, relayCode, { mode: 0o600 });
    await listen(server, address);
    return {
      name: verdictServerName,
      command: process.execPath,
      args: [relay, address],
      // Node options of this process are not meant for the relay.
      env: { NODE_OPTIONS: '' },
      result: () => register?.reading,
      isExhausted: () => register?.isExhausted === true,
      isAsking: () => people?.isAsking === true,
      ending: people?.ending,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Maximum in bytes that every system accepts. A longer path would be truncated, and lead several stages to
 * one socket.
 */
const longestPath = 103;

/** Directory for temporary files, unless a socket there would have too long a path. */
function placeForSockets(): string {
  const usual = temporaryPlace();
  const length = Buffer.byteLength(path.join(usual, 'attractor-XXXXXX', 'socket'));
  return length <= longestPath ? usual : '/tmp';
}

async function listen(server: Server, address: string): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
  // A stage that waits for its agent keeps the process alive by itself.
  server.unref();
  server.on('error', () => undefined);
}

function answerLines(socket: Socket, tools: readonly ServedTool[]): void {
  let begun = '';
  socket.setEncoding('utf8');
  socket.unref();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    const lines = `${begun}${chunk}`.split('\n');
    begun = lines.pop() ?? '';
    if (begun.length > longestLine) return void socket.destroy();
    for (const line of lines) {
      if (line.trim() === '') continue;
      const answer = answerMcp(line, tools);
      if (answer instanceof Promise) answer.then((late) => write(socket, late));
      else if (answer !== undefined) write(socket, answer);
    }
  });
}

/** Writes an answer, unless its client has left meanwhile. */
function write(socket: Socket, answer: string): void {
  if (socket.writable) socket.write(`${answer}\n`);
}
