import type { RunEvent } from '../../machine/event.js';
import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import type { Interviewer } from '../questions/interviewer.js';

interface Recorded {
  readonly place: string;
  readonly id: string;
  /** Undefined after a timeout. */
  readonly answer: Answer | undefined;
}

/**
 * Answers questions as in the journal of a run (§6.4): the same question of the same stage, or else the
 * next one of that stage. Timeouts are repeated, and questions that stayed open stay open.
 */
export function replayInterviewer(events: readonly RunEvent[]): Interviewer {
  const byStage = answersByStage(events);
  return {
    ask: (question) => Promise.resolve(take(byStage.get(question.stage) ?? [], question)?.answer),
  };
}

function take(answers: Recorded[], { id }: Question): Recorded | undefined {
  const index = answers.findIndex((recorded) => recorded.id === id);
  return answers.splice(Math.max(0, index), 1)[0];
}

function answersByStage(events: readonly RunEvent[]): ReadonlyMap<string, Recorded[]> {
  const byStage = new Map<string, Recorded[]>();
  const interruptions = new Set<string>();
  let directory = '';
  for (const event of events) {
    if (event.type === 'LoopRestarted') directory = event.directory;
    if (event.type === 'InterviewStarted' && isInterruption(event.question))
      interruptions.add(event.question.id);
    if (event.type !== 'InterviewCompleted' && event.type !== 'InterviewTimeout') continue;
    const { question_id: id, stage } = event;
    // The engine's question about an interruption is not asked again.
    if (interruptions.has(id)) continue;
    const answers = byStage.get(stage) ?? [];
    const recorded = {
      place: directory,
      id,
      answer: event.type === 'InterviewTimeout' ? undefined : event.answer,
    };
    // A stage that was interrupted after the answer has repeated the question.
    const others = answers.filter((one) => one.place !== directory || one.id !== id);
    byStage.set(stage, [...others, recorded]);
  }
  return byStage;
}
