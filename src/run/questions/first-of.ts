import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { Race } from './race.js';

/**
 * Puts every question to several interviewers at once. The first answer that fits counts, and the others are told that the
 * question is settled. An answer that does not fit is asked for again, a few times, and counts only when no other is to
 * come (SEMANTICS 55c); nobody answers only when all say so; an interviewer that breaks leaves the question to the others.
 */
export function firstOf(...interviewers: readonly Interviewer[]): Interviewer {
  return {
    ask: (question, signal, warn) => new Race(interviewers, question, signal, warn).result,
    inform(message, stage) {
      for (const interviewer of interviewers) inform(interviewer, message, stage);
    },
  };
}
