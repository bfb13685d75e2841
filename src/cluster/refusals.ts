import type { AnswerReceipt } from '../run/questions/run-questions.js';
import { RunError } from '../run-directory/run-error.js';
import type { MissingFile } from './files/write-files.js';

// Reasons why a run does not continue on its worker, or why a message has no effect.

export const refusals = {
  notValidHere: 'this version of attractor, or its plugins, finds errors in the pipeline',
  isRunning: 'it is running; pause it first',
  isPaused: 'the run is paused; resume it first',
  hasEnded: 'the run has ended',
  notContinued: 'what was decided here does not continue the history of the run',
} as const;

export function lostFiles(lost: readonly MissingFile[]): string {
  const [first] = lost;
  const others = lost.length === 1 ? '' : `, and ${lost.length - 1} others`;
  return `files of earlier stages cannot be had: ${first?.path}, ${first?.reason}${others}`;
}

export function answerRefusal({ kind }: AnswerReceipt): string | undefined {
  if (kind === 'unfit') return 'the answer is not one of the choices';
  return kind === 'taken' ? undefined : 'no such question is open';
}

/** True for an error that says that a call does not fit its run. */
export function isMisfit(error: unknown): boolean {
  return error instanceof RunError && error.code === 'usage';
}
