import type { Answer } from '../../machine/interview.js';
import type { Interviewer } from './interviewer.js';
import { readAnswer } from './read-answer.js';
import type { Recording } from './recording.js';

/**
 * Answers from a prepared list (§6.4), one entry for each question in the order in which they are asked,
 * matched as a person's answer would be; when it is used up, questions are skipped (SEMANTICS 57).
 * @param answers may also be the recordings of a `recordingInterviewer`, to replay them
 */
export function queueInterviewer(answers: Iterable<Answer | string | Recording>): Interviewer {
  const queue = answers[Symbol.iterator]();
  return {
    async ask(question, signal) {
      if (signal.aborted) return undefined;
      const next = queue.next();
      if (next.done === true) return { value: 'SKIPPED' };
      return readAnswer(question, isRecording(next.value) ? next.value.answer : next.value);
    },
  };
}

function isRecording(entry: Answer | string | Recording): entry is Recording {
  return typeof entry === 'object' && 'answer' in entry;
}
