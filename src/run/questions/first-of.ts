import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { Race } from './race.js';

/**
 * Asks several interviewers every question at once. The first answer that fits counts, and the others learn
 * that the question is settled. An answer that does not fit is asked for again, a few times, and counts
 * only if no other is to come (SEMANTICS 55c); the question is unanswered only if all say so; an
 * interviewer that throws leaves the question to the others.
 */
export function firstOf(...interviewers: readonly Interviewer[]): Interviewer {
  return {
    ask: (question, signal, warn) => new Race(interviewers, question, signal, warn).result,
    inform(message, stage) {
      for (const interviewer of interviewers) inform(interviewer, message, stage);
    },
  };
}
