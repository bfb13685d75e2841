import { describeChoice } from '../../graph/choices.js';
import type { Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { matchAnswer } from './match-answer.js';

/**
 * Takes the answer to the next question of a stage.
 * @returns undefined if no answers were prepared for the stage; `typed` is undefined once they are used up
 */
export type AnswerScript = (stage: string) => { readonly typed: string | undefined } | undefined;

/**
 * Script with one entry for each question.
 * @param answeredBefore number of a stage's questions that were answered before this process
 */
export function answerScript(
  answers: ReadonlyMap<string, readonly string[]>,
  answeredBefore: (stage: string) => number,
): AnswerScript {
  const asked = new Map<string, number>();
  return (stage) => {
    const prepared = answers.get(stage);
    if (prepared === undefined) return undefined;
    const ordinal = asked.get(stage) ?? answeredBefore(stage);
    asked.set(stage, ordinal + 1);
    return { typed: prepared[ordinal] };
  };
}

/**
 * Answers the questions of some stages from a script, and leaves all others to the interviewer after it. When
 * the entries are used up, nobody answers (SEMANTICS 86).
 */
export function scriptedInterviewer(script: AnswerScript, inner: Interviewer): Interviewer {
  return {
    async ask(question, signal, warn) {
      const prepared = script(question.stage);
      if (prepared === undefined) return inner.ask(question, signal, warn);
      const { typed } = prepared;
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
