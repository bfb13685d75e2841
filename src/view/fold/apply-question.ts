import type {
  EventHeader,
  InterviewCompleted,
  InterviewStarted,
  InterviewTimeout,
  StageSteered,
  SteeringDelivered,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { changeState, changeVisit } from './current-visit.js';
import type { RunView } from './run-view.js';
import { noteAnswer, noteDelivery, noteQuestion, noteWords } from './visit-details.js';

export function questionAsked(view: RunView, event: InterviewStarted & EventHeader): void {
  const { branch = null, timestamp } = event;
  view.turns += 1;
  view.questions.set(branch ?? mainCursor, { ...event.question, branch, asked_at: timestamp });
  if (view.scope.asked) view.asked.set(event.question.id, event.question.stage);
  changeState(view, event, 'asking');
  changeVisit(view, event, ({ details }) => details && noteQuestion(details, event));
}

/** A question was answered, or its time was up. */
export function questionClosed(
  view: RunView,
  event: (InterviewCompleted | InterviewTimeout) & EventHeader,
): void {
  view.turns += 1;
  view.questions.delete(event.branch ?? mainCursor);
  changeState(view, event, 'running');
  changeVisit(view, event, ({ details }) => details && noteAnswer(details, event));
}

/** A person said something to the model of a running stage. */
export function stageSteered(view: RunView, event: StageSteered & EventHeader): void {
  changeVisit(view, event, ({ details }) => details && noteWords(details, event));
}

export function steeringDelivered(view: RunView, event: SteeringDelivered & EventHeader): void {
  changeVisit(view, event, ({ details }) => details && noteDelivery(details, event));
}
