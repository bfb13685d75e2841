import type { Answer, Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';

/** Question with its answer; plain data, to be kept as JSON. */
export interface Recording {
  readonly question: Question;
  readonly answer: Answer;
}

export interface RecordingInterviewer extends Interviewer {
  /** Answers so far, in the order of the questions. `queueInterviewer(recordings)` replays them. */
  readonly recordings: readonly Recording[];
}

/** Records the questions and answers of another interviewer (§6.4); unanswered ones are not recorded. */
export function recordingInterviewer(inner: Interviewer): RecordingInterviewer {
  const entries = new Set<{ readonly question: Question; answer: Answer | undefined }>();
  return {
    get recordings() {
      return [...entries].flatMap(({ question, answer }) =>
        answer === undefined ? [] : [{ question, answer }],
      );
    },
    async ask(question, signal, warn) {
      // The order is that of the questions: several open ones may be answered in another order.
      const entry = { question: structuredClone(question), answer: undefined as Answer | undefined };
      entries.add(entry);
      try {
        const answer = await inner.ask(question, signal, warn);
        entry.answer = structuredClone(answer);
        return answer;
      } finally {
        if (entry.answer === undefined) entries.delete(entry);
      }
    },
    inform: (message, stage) => inform(inner, message, stage),
  };
}
