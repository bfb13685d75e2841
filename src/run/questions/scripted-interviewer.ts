import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { matchAnswer } from './match-answer.js';

/**
 * Answers the questions of some nodes from a script, one entry for each question, and leaves all others to
 * the interviewer after it. When the entries are used up, nobody answers (SEMANTICS 86).
 * @param answeredBefore number of a node's questions that were answered before this process
 */
export function scriptedInterviewer(
  answers: ReadonlyMap<string, readonly string[]>,
  inner: Interviewer,
  answeredBefore: (nodeId: string) => number,
): Interviewer {
  const asked = new Map<string, number>();
  return {
    async ask(question, signal, warn) {
      const prepared = answers.get(question.stage);
      if (prepared === undefined) return inner.ask(question, signal, warn);
      const ordinal = asked.get(question.stage) ?? answeredBefore(question.stage);
      asked.set(question.stage, ordinal + 1);
      const typed = prepared[ordinal];
      return typed === undefined ? undefined : matchAnswer(question, typed);
    },
    inform: (message, stage) => inform(inner, message, stage),
  };
}
