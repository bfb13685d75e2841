import { rmSync } from 'node:fs';
import { FifoPool } from './fifo-pool.js';
import { type Hiding, hidingOf } from './hiding.js';
import { onLines } from './on-lines.js';
import type { SpawnerReply, SpawnerRequest, ToolEnd, ToolOrder } from './protocol.js';
import { RunningTool } from './running-tool.js';

// The program of the spawner: a process that stays small and starts tools for one that may be large, because the price of
// a fork is the size of who forks (PERFORMANCE 5). It takes requests from its standard input and replies on its standard
// output. When its input ends, its owner has, however that came about: it ends all tools, and then itself.

process.title = 'attractor-spawner';

const [, directory = ''] = process.argv;
const fifos = new FifoPool(directory);
const tools = new Map<number, RunningTool>();
/** As long as the process lives: a few texts for each run of its owner. */
const hidings = new Map<number, Hiding>();
let hasOwner = true;

process.stdout.on('error', () => undefined);
process.stdin.on('error', ownerGone);
process.stdin.once('end', ownerGone);
onLines(process.stdin, (line) => obey(JSON.parse(line)));

function obey(request: SpawnerRequest): void {
  switch (request.kind) {
    case 'run':
      return run(request.id, request);
    case 'stop':
      return tools.get(request.id)?.stop();
    case 'secrets':
      hidings.set(request.number, hidingOf(request.literals));
      return;
  }
}

function run(id: number, order: ToolOrder): void {
  const end = (end: ToolEnd): void => {
    tools.delete(id);
    reply({ kind: 'ended', id, ...end });
    if (!hasOwner && tools.size === 0) leave();
  };
  try {
    const hiding = order.secrets === undefined ? undefined : hidings.get(order.secrets);
    const tool = new RunningTool(order, { fifos, hiding }, end);
    tools.set(id, tool);
    if (tool.pid !== undefined) reply({ kind: 'started', id, pid: tool.pid, began: tool.began });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    end({ exit: { kind: 'error', message }, stdout: 0, stderr: 0 });
  }
}

function reply(message: SpawnerReply): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function ownerGone(): void {
  hasOwner = false;
  for (const tool of tools.values()) tool.stop();
  if (tools.size === 0) leave();
}

function leave(): void {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}
