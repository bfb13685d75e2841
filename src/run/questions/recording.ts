import type { Answer, Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';

/** A question and what it was answered; plain data, to be kept as JSON. */
export interface Recording {
  readonly question: Question;
  readonly answer: Answer;
}

export interface RecordingInterviewer extends Interviewer {
  /** What was answered so far, in the order of the questions. `queueInterviewer(recordings)` replays it. */
  readonly recordings: readonly Recording[];
}

/** Records what another interviewer is asked and answers (§6.4); what nobody answered is not recorded. */
export function recordingInterviewer(inner: Interviewer): RecordingInterviewer {
  const entries = new Set<{ readonly question: Question; answer: Answer | undefined }>();
  return {
    get recordings() {
      return [...entries].flatMap(({ question, answer }) =>
        answer === undefined ? [] : [{ question, answer }],
      );
    },
    async ask(question, signal, warn) {
      // The place is taken now: questions that are open at the same time may be answered in another order.
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
