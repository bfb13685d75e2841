import { abortWith, onAbort } from '../../abort/abort.js';
import { copyJson } from '../../graph/json.js';
import { messageOf } from '../../handlers/error-category.js';
import { StageStopped } from '../../handlers/handler.js';
import type { AskEffect, Effect } from '../../machine/effect.js';
import type { AttemptInput, InputBody } from '../../machine/input.js';
import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import type { Cursor, RunState } from '../../machine/state.js';
import { noRedactor } from '../../secrets/redactor.js';
import type { LaidQuestion } from '../questions/answer-files.js';
import { askQuestion } from '../questions/ask-question.js';
import { questionSettled } from '../questions/interviewer.js';
import type { AskingMachine, WaitingQuestion } from '../questions/run-questions.js';
import type { DriverPorts } from './driver-ports.js';

/** Uses of the questions of a run. */
export interface QuestionHost {
  state(): RunState;
  dispatch(input: InputBody): void;
  warn(message: string, nodeId: string): void;
}

/** A question whose handler waits for the answer. */
interface RaisedQuestion {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly resolve: (answer: Answer) => void;
}

/** An answer from elsewhere, until the journal has it. */
interface PendingAnswer {
  readonly answer: Answer;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The questions of one run. The interviewer is asked, files are looked at, and other answers come by `answer`: each is
 * dispatched as an input of the machine, which takes the first and ignores the rest.
 */
export class StageQuestions implements AskingMachine {
  readonly #ports: StageQuestionsPorts;
  readonly #host: QuestionHost;
  readonly #raised = new Map<string, RaisedQuestion>();
  /** Aborted when a question is not asked any more. */
  readonly #asking = new Map<string, AbortController>();
  readonly #pending = new Map<string, PendingAnswer>();
  #isClosed = false;

  constructor(ports: StageQuestionsPorts, host: QuestionHost) {
    this.#ports = ports;
    this.#host = host;
  }

  /** Has a stage ask. @returns the answer; rejects when the signal is aborted */
  raise(attempt: AttemptInput, question: Question, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const release = onAbort(signal, () => {
        this.#raised.delete(question.id);
        reject(signal.reason);
      });
      const settle = (answer: Answer): void => {
        release();
        resolve(answer);
      };
      this.#raised.set(question.id, { signal, resolve: settle });
      this.#host.dispatch({ kind: 'question_raised', ...attempt, question });
    });
  }

  /**
   * Asks the interviewer, and looks for answers in files.
   * @param signalOf of the cursor, for what the engine itself asks about a stage, of which no handler waits
   */
  async ask({ cursor, question }: AskEffect, signalOf: () => AbortSignal): Promise<void> {
    const { id: questionId, stage } = question;
    // An answer may have come while the question was being written down.
    if (!this.#isOpen(cursor, questionId)) return;
    const wanted = isInterruption(question) ? signalOf() : this.#raised.get(questionId)?.signal;
    if (wanted === undefined) return;
    const { clock, interviewer } = this.#ports;
    const asking = new AbortController();
    const { signal } = asking;
    const laid = this.#lay(cursor, question);
    this.#asking.set(questionId, asking);
    const release = abortWith(asking, wanted);
    onAbort(signal, () => {
      release();
      this.#asking.delete(questionId);
      laid?.close(closingOf(signal.reason));
    });
    const warn = (message: string): void => this.#host.warn(message, stage);
    const reply = await askQuestion(question, interviewer, clock, signal, warn);
    if (signal.aborted) return;
    if (reply === undefined) {
      if (laid?.lay()) return;
      asking.abort();
      this.#host.dispatch({ kind: 'unanswered', cursor, questionId });
    } else if (reply === 'timed out') {
      const answer = { value: 'TIMEOUT' };
      this.#host.dispatch({ kind: 'answered', cursor, questionId, answer, timedOut: true });
    } else this.#dispatch(cursor, questionId, reply);
  }

  #lay(cursor: string, question: Question): LaidQuestion | undefined {
    const { id, stage } = question;
    return this.#ports.questions?.lay(question, {
      take: (answer) => {
        if (!this.#isOpen(cursor, id)) return false;
        this.#dispatch(cursor, id, answer);
        return true;
      },
      onBroken: (error) =>
        this.#host.warn(`the question of "${stage}" cannot be answered by files: ${messageOf(error)}`, stage),
    });
  }

  get waiting(): readonly WaitingQuestion[] {
    const { status, cursors } = this.#host.state();
    if (this.#isClosed || status !== 'running') return [];
    return [...cursors.values()].flatMap((cursor) => waitingOf(cursor) ?? []);
  }

  answer(questionId: string, given: Answer): Promise<Answer | undefined> {
    const cursors = [...this.#host.state().cursors.values()];
    const cursor = cursors.find((one) => waitingOf(one)?.question.id === questionId);
    if (this.#isClosed || cursor === undefined || this.#pending.has(questionId))
      return Promise.resolve(undefined);
    const answer = this.#redacted(given);
    return new Promise((resolve, reject) => {
      this.#pending.set(questionId, { answer, resolve, reject });
      this.#host.dispatch({ kind: 'answered', cursor: cursor.id, questionId, answer });
    });
  }

  /** Hands an answer that is in the journal to those who wait for it. */
  deliver({ questionId, answer }: Extract<Effect, { kind: 'deliver' }>): void {
    const raised = this.#raised.get(questionId);
    const pending = this.#pending.get(questionId);
    this.#raised.delete(questionId);
    this.#pending.delete(questionId);
    this.#asking.get(questionId)?.abort(questionSettled);
    raised?.resolve(copyJson(answer));
    pending?.resolve(pending.answer === answer ? answer : undefined);
  }

  /** Nothing is asked any more. @param error broke the run off */
  close(error?: unknown): void {
    this.#isClosed = true;
    for (const { resolve, reject } of this.#pending.values())
      error === undefined ? resolve(undefined) : reject(error);
    this.#pending.clear();
  }

  #dispatch(cursor: string, questionId: string, answer: Answer): void {
    this.#host.dispatch({ kind: 'answered', cursor, questionId, answer: this.#redacted(answer) });
  }

  #redacted(answer: Answer): Answer {
    return (this.#ports.redactor ?? noRedactor).json(answer);
  }

  #isOpen(cursorId: string, questionId: string): boolean {
    const { status, cursors } = this.#host.state();
    return status === 'running' && cursors.get(cursorId)?.question?.question.id === questionId;
  }
}

type StageQuestionsPorts = Pick<DriverPorts, 'interviewer' | 'clock' | 'questions' | 'redactor'>;

/** A stage of which nobody knows what became of it is decided about when it is asked again: its suspension takes no answer. */
function waitingOf({ question, phase }: Cursor): WaitingQuestion | undefined {
  return question !== undefined && phase === 'suspended' && isInterruption(question.question)
    ? undefined
    : question;
}

/** A question is put again after a pause; not after an answer, or when its branch has been stopped. */
function closingOf(reason: unknown): 'answered' | 'withdrawn' | 'kept' {
  if (reason === questionSettled) return 'answered';
  return reason instanceof StageStopped && reason.why === 'cancelled' ? 'withdrawn' : 'kept';
}
