import { availableParallelism } from 'node:os';
import type { ToolEnd } from './protocol.js';
import { Spawner, type ToolCall } from './spawner.js';

/** While one waits for its fork, as all of them do, the other has its turn. More would not pay for their memory. */
const mostSpawners = Math.min(2, availableParallelism());
const busyFrom = 2;

let spawners: readonly Spawner[] = [];

/**
 * Runs a tool by a spawner of this process. The first tool starts it, several at a time start a second one, and one that
 * was lost is replaced (PERFORMANCE 5, SEMANTICS 59a).
 * @param signal stops the tool: SIGTERM to its process group, SIGKILL after a moment
 */
export function runTool(call: ToolCall, signal: AbortSignal): Promise<ToolEnd> {
  return leastBusySpawner().run(call, signal);
}

/**
 * Starts the spawners of this process, so that they are there when the first tools are.
 * @param atOnce how many tools there may be at a time
 */
export function expectTools(atOnce: number): void {
  for (let count = livingSpawners().length; count < Math.min(atOnce, mostSpawners); count += 1)
    startSpawner();
}

function leastBusySpawner(): Spawner {
  const [first] = livingSpawners().toSorted((one, other) => one.load - other.load);
  if (first !== undefined && (first.load < busyFrom || spawners.length === mostSpawners)) return first;
  return startSpawner();
}

function livingSpawners(): readonly Spawner[] {
  spawners = spawners.filter(({ hasEnded }) => !hasEnded);
  return spawners;
}

function startSpawner(): Spawner {
  const another = new Spawner();
  spawners = [...spawners, another];
  return another;
}

// A process that ends without waiting for its tools, as at the last of several interruptions, takes them with it.
process.on('exit', () => {
  for (const spawner of spawners) spawner.killTools();
});
