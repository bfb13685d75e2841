import { Worker } from 'node:worker_threads';

/** Notes for a guard that ends this process when it hangs. */
export interface HangGuard {
  /** Notes the beginning of something that must end within the limit. */
  begins(what: string): void;
  close(): Promise<unknown>;
}

const code = `
const { parentPort, workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
let timer;
parentPort.on('message', (what) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    writeSync(2, 'hangs: ' + what + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, workerData);
});`;

/**
 * Watches from a thread of its own. A call that blocks, such as one that opens a pipe, lets no timer of its
 * thread fire, so the guard says what hangs and kills the process.
 */
export function guardAgainstHangs(limitMs: number): HangGuard {
  const worker = new Worker(code, { eval: true, workerData: limitMs });
  return {
    begins: (what) => worker.postMessage(what),
    close: () => worker.terminate(),
  };
}
