import type { RunEvent } from '../../machine/event.js';
import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import type { Interviewer } from '../questions/interviewer.js';

interface Recorded {
  readonly place: string;
  readonly id: string;
  /** Undefined where the time was up. */
  readonly answer: Answer | undefined;
}

/**
 * Answers what is asked as the journal of a run says that it was answered (§6.4): the same question of the same stage, or
 * else the next one of that stage. Where nobody answered in time nobody does, and what stayed open stays open.
 */
export function replayInterviewer(events: readonly RunEvent[]): Interviewer {
  const byStage = answersByStage(events);
  return {
    ask: (question) => Promise.resolve(take(byStage.get(question.stage) ?? [], question)?.answer),
  };
}

function take(answers: Recorded[], { id }: Question): Recorded | undefined {
  const same = answers.findIndex((recorded) => recorded.id === id);
  return answers.splice(Math.max(0, same), 1)[0];
}

function answersByStage(events: readonly RunEvent[]): ReadonlyMap<string, Recorded[]> {
  const byStage = new Map<string, Recorded[]>();
  const interruptions = new Set<string>();
  let place = '';
  for (const event of events) {
    if (event.type === 'LoopRestarted') place = event.directory;
    if (event.type === 'InterviewStarted' && isInterruption(event.question))
      interruptions.add(event.question.id);
    if (event.type !== 'InterviewCompleted' && event.type !== 'InterviewTimeout') continue;
    const { question_id: id, stage } = event;
    // What the engine asked about an interruption is not asked again.
    if (interruptions.has(id)) continue;
    const known = byStage.get(stage) ?? [];
    const recorded = { place, id, answer: event.type === 'InterviewTimeout' ? undefined : event.answer };
    // A stage that was cut off after the answer has asked once more.
    const others = known.filter((one) => one.place !== place || one.id !== id);
    byStage.set(stage, [...others, recorded]);
  }
  return byStage;
}
