import type { Input } from './input.js';
import { type Answer, interruptionMetadata, isInterruption, type Question } from './interview.js';
import { failure, type Outcome } from './outcome.js';
import { nodeOf, restartAttempt, settle, stageFields } from './stage.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';

/**
 * A stage asks (§6.1). An answer from before a crash is given again; a question that is still open is asked
 * again.
 */
export function questionRaised(transition: Transition, cursorId: string, question: Question): void {
  const cursor = transition.cursor(cursorId);
  const known = cursor.answers.get(question.id);
  if (known !== undefined) {
    transition.perform({ kind: 'deliver', cursor: cursorId, questionId: question.id, answer: known });
    return;
  }
  if (cursor.question?.question.id !== question.id) {
    transition.emit({
      type: 'InterviewStarted',
      question,
      stage: question.stage,
      branch: branchOf(cursorId),
    });
  }
  transition.perform({ kind: 'ask', cursor: cursorId, question });
}

/** Handles an answer: for the stage that asked, or for the engine, which asked about the stage. */
export function handleAnswer(transition: Transition, input: Extract<Input, { kind: 'answered' }>): void {
  const pending = transition.cursor(input.cursor).question?.question;
  const given = answerGiven(transition, input);
  if (given === undefined || pending === undefined || !isInterruption(pending)) return;
  const choice = interruptedAnswered(given);
  if (choice === undefined) restartAttempt(transition, transition.cursor(input.cursor));
  else settle(transition, input.cursor, { outcome: choice });
}

/** Records an answer and passes it on; undefined if the question is no longer open. */
function answerGiven(
  transition: Transition,
  input: Extract<Input, { kind: 'answered' }>,
): Answer | undefined {
  const pending = transition.cursor(input.cursor).question;
  if (pending?.question.id !== input.questionId) return undefined;
  const { question, askedAt } = pending;
  const answer = input.timedOut ? answerOfTimeout(question) : input.answer;
  transition.emit({
    type: input.timedOut ? 'InterviewTimeout' : 'InterviewCompleted',
    question: question.text,
    question_id: question.id,
    stage: question.stage,
    answer,
    duration: transition.input.now - askedAt,
    branch: branchOf(input.cursor),
  });
  transition.perform({ kind: 'deliver', cursor: input.cursor, questionId: question.id, answer });
  return answer;
}

/** Answer if nobody gave one in time (SEMANTICS 56). */
function answerOfTimeout({ default: given }: Question): Answer {
  return given === undefined ? { value: 'TIMEOUT' } : { ...given, by_default: true };
}

/**
 * Suspends a stage that cannot continue now, for example because nobody can answer; the others continue
 * (SEMANTICS 87).
 */
export function suspend(transition: Transition, cursor: Cursor, reason: string): void {
  transition.emit({
    type: 'StageSuspended',
    ...stageFields(nodeOf(transition, cursor), cursor),
    reason,
    branch: branchOf(cursor.id),
  });
  transition.perform({ kind: 'abort', cursor: cursor.id, why: 'paused', reason });
}

/** Asks what to do with an interrupted stage with `idempotent=false`. */
export function raiseInterruption(transition: Transition, cursor: Cursor): void {
  const question: Question = {
    id: `${cursor.nodeId}.${cursor.index}.${cursor.attempt}.interrupted`,
    text: `"${cursor.nodeId}" was interrupted and is marked idempotent=false. How should the run continue?`,
    type: 'MULTIPLE_CHOICE',
    options: [
      { key: 'R', label: 'Run it again' },
      { key: 'D', label: 'Continue as if it had succeeded' },
      { key: 'F', label: 'Continue as if it had failed' },
    ],
    stage: cursor.nodeId,
    metadata: interruptionMetadata,
  };
  questionRaised(transition, cursor.id, question);
}

/** Outcome by the answer to `raiseInterruption`; undefined to run the stage again. */
function interruptedAnswered(answer: Answer): Outcome | undefined {
  switch (answer.selected_option?.key ?? answer.value) {
    case 'D':
      return { status: 'success', notes: 'interrupted; a person decided that it succeeded' };
    case 'F':
      return failure('interrupted; a person decided that it failed', { retryable: false });
    default:
      return undefined;
  }
}
