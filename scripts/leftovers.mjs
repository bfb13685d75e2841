import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * What a program has started and must not leave behind, even if it is killed: another process waits for its end, then ends the
 * processes and removes the directories that are still listed.
 */
let watcher;

function tell(line) {
  watcher ??= startWatcher();
  watcher.stdin.write(`${JSON.stringify(line)}\n`);
}

function startWatcher() {
  const program = fileURLToPath(new URL('end-leftovers.mjs', import.meta.url));
  // In a session of its own: what interrupts the program at a terminal must not end the watcher first. Without its output: those who
  // wait for the end of that would wait until everything is removed.
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  child.stdin.unref();
  return child;
}

/** Ends a process when this one ends, by a signal. */
export function endWithMe(pid, signal) {
  tell({ end: pid, signal });
}

/** Forgets a process that has ended. */
export function hasEnded(pid) {
  tell({ ended: pid });
}

/** Removes a directory when this process ends, and those that were to end with it have. */
export function removeWithMe(directory) {
  tell({ remove: directory });
}
