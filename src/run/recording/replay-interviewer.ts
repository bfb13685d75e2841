import type { RunEvent } from '../../machine/event.js';
import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import type { Interviewer } from '../questions/interviewer.js';
import { type QuestionKey, QuestionKeys } from './question-keys.js';

/** Interviewer that has to follow the journal of its run. */
export interface ReplayInterviewer extends Interviewer {
  /** Call with each event of the run before its questions are asked. */
  note(event: RunEvent): void;
}

/**
 * Answers questions as in the journal of a run (§6.4): by branch, node, visit in the branch and attempt, like
 * outcomes. Timeouts are repeated, and questions that stayed open stay open.
 */
export function replayInterviewer(events: readonly RunEvent[]): ReplayInterviewer {
  const recorded = recordedAnswers(events);
  const now = new QuestionKeys();
  return {
    ask: ({ id }: Question) => Promise.resolve(recorded.answerTo(now.keyOf(id))),
    note: (event) => now.note(event),
  };
}

interface RecordedAnswers {
  /** Answer to a question; undefined if it stayed open, or had none in time. */
  answerTo(key: QuestionKey | undefined): Answer | undefined;
}

function recordedAnswers(events: readonly RunEvent[]): RecordedAnswers {
  const keys = new QuestionKeys();
  const lines = new Set<string>();
  const byKey = new Map<string, Answer | undefined>();
  const byJournalKey = new Map<string, Answer | undefined>();
  for (const event of events) {
    keys.note(event);
    // The engine's question about an interruption is not asked again.
    if (event.type === 'InterviewStarted' && !isInterruption(event.question)) {
      const asked = keys.keyOf(event.question.id);
      if (asked !== undefined) lines.add(asked.line);
    }
    if (event.type !== 'InterviewCompleted' && event.type !== 'InterviewTimeout') continue;
    const key = keys.keyOf(event.question_id);
    if (key === undefined) continue;
    // A stage that was interrupted after the answer has repeated the question: the last answer counts.
    const answer = event.type === 'InterviewTimeout' ? undefined : event.answer;
    byKey.set(key.own, answer);
    byJournalKey.set(key.journal, answer);
  }
  return {
    answerTo(key) {
      if (key === undefined) return undefined;
      // A branch has another name if its first stage was edited.
      return lines.has(key.line) ? byKey.get(key.own) : byJournalKey.get(key.journal);
    },
  };
}
