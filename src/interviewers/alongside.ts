import type { Answer, Question } from '../engine/machine/interview.js';
import { inform } from '../engine/runtime/inform.js';
import type { Interviewer } from '../engine/runtime/interviewer.js';
import { firstOf } from './first-of.js';

/**
 * Puts every question to a second interviewer too, as long as there is a reason to wait: where the first one has nobody to
 * ask, the run is to pause (SEMANTICS 87), unless the question has a timeout, which is waited out.
 */
export function alongside(first: Interviewer, second: Interviewer): Interviewer {
  return {
    ask(question, signal) {
      const pointless = new AbortController();
      const leading: Interviewer = {
        ask: (asked, unwanted) => askFirst(first, asked, unwanted, pointless),
        inform: (message, stage) => inform(first, message, stage),
      };
      const following: Interviewer = {
        ask: (asked, unwanted) => second.ask(asked, AbortSignal.any([unwanted, pointless.signal])),
        inform: (message, stage) => inform(second, message, stage),
      };
      return firstOf(leading, following).ask(question, signal);
    },
    inform: (message, stage) => {
      for (const interviewer of [first, second]) inform(interviewer, message, stage);
    },
  };
}

async function askFirst(
  first: Interviewer,
  question: Question,
  signal: AbortSignal,
  pointless: AbortController,
): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  try {
    answer = await first.ask(question, signal);
    return answer;
  } finally {
    if (answer === undefined && question.timeout_seconds === undefined) {
      pointless.abort(new Error('nobody is there to wait for'));
    }
  }
}
