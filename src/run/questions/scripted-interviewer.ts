import { describeChoice } from '../../graph/choices.js';
import type { Question } from '../../machine/interview.js';
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
      if (typed === undefined) return undefined;
      const answer = matchAnswer(question, typed);
      // A gate offers what its pipeline says, which is checked before the run; what a model offers is known only now.
      if (answer === undefined) warn?.(describeMisfit(question, typed));
      return answer;
    },
    inform: (message, stage) => inform(inner, message, stage),
  };
}

function describeMisfit({ stage, options }: Question, typed: string): string {
  const offered = options.length === 0 ? '' : `, which offers: ${options.map(describeChoice).join(', ')}`;
  return `the prepared answer "${typed}" does not answer "${stage}"${offered}; the question stays open`;
}
