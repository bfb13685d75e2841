import { pipeline } from '../run/harness.js';
import { WorkerDied } from './harness.js';

/** Two branches, which work, and a stage before and after them. */
export const branches = pipeline(
  'before',
  'fan [shape=component]',
  'one',
  'two',
  'join [shape=tripleoctagon]',
  'after',
  'start -> before -> fan',
  'fan -> one -> join',
  'fan -> two -> join',
  'join -> after -> exit',
);

/** Waits until something has happened. */
export async function turns(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets a worker take what has come to it, where nothing shall follow from that. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Passes over the end of a worker that a test has ended. */
export function died(error: unknown): void {
  if (!(error instanceof WorkerDied)) throw error;
}
