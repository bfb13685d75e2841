import type { Answer, Question } from '../../src/machine/interview.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';

/** What a person would answer to each type of question (§6.2). */
export const typedAnswers: Readonly<Record<Question['type'], string>> = {
  YES_NO: 'y',
  CONFIRMATION: 'No',
  MULTIPLE_CHOICE: 'fix',
  FREEFORM: 'as you like',
};

export interface HeldInterviewer extends Interviewer {
  /** The questions so far, in order. */
  readonly asked: readonly Question[];
  /** Why each question was taken back; undefined where it was not. */
  reasonOf(index: number): unknown;
  /** Answers the question of this ordinal. */
  answer(index: number, answer: Answer | undefined): void;
  /** Breaks at the question of this ordinal. */
  fail(index: number, error: Error): void;
}

/** Says nothing until the test says what. */
export function heldInterviewer(): HeldInterviewer {
  const asked: Question[] = [];
  const open: {
    readonly signal: AbortSignal;
    readonly resolve: (answer: Answer | undefined) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  return {
    asked,
    ask(question, signal) {
      asked.push(question);
      return new Promise((resolve, reject) => {
        open.push({ signal, resolve, reject });
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
    },
    reasonOf: (index) => open[index]?.signal.reason,
    answer: (index, answer) => open[index]?.resolve(answer),
    fail: (index, error) => open[index]?.reject(error),
  };
}

/** Lets everything continue that waits for nothing but its turn. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
