// Started by leftovers.mjs: reads what should end, and what should be removed, until the program that says so is gone.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const signals = new Map();
const directories = [];

for await (const line of createInterface({ input: process.stdin })) {
  const { end, signal, ended, remove } = JSON.parse(line);
  if (end !== undefined) signals.set(end, signal);
  if (ended !== undefined) signals.delete(ended);
  if (remove !== undefined) directories.push(remove);
}

for (const [pid, signal] of signals) send(pid, signal);
// A stopped process takes no signal but the last one.
for (let patience = 100; patience > 0 && [...signals.keys()].some((pid) => send(pid, 0)); patience -= 1)
  await sleep(20);
for (const pid of signals.keys()) send(pid, 'SIGKILL');
for (const directory of directories)
  rmSync(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 20 });

/** @returns true if the process is there */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
