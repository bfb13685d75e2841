import { abortWith, onAbort } from '../../abort/abort.js';
import { copyJson } from '../../graph/json.js';
import { messageOf } from '../../handlers/error-category.js';
import { StageStopped } from '../../handlers/handler.js';
import type { AskEffect, Effect } from '../../machine/effect.js';
import type { AttemptInput, InputBody } from '../../machine/input.js';
import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import { branchOf, type Cursor, type RunState } from '../../machine/state.js';
import { noRedactor } from '../../secrets/redactor.js';
import type { LaidQuestion } from '../questions/answer-files.js';
import { askQuestion } from '../questions/ask-question.js';
import { questionSettled } from '../questions/interviewer.js';
import type { AskingMachine, WaitingQuestion } from '../questions/run-questions.js';
import type { DriverPorts } from './driver-ports.js';

/** Driver's part of the questions of a run. */
export interface QuestionHost {
  state(): RunState;
  /** True if nothing else is under way. */
  onlyAsks(): boolean;
  dispatch(input: InputBody): void;
  warn(message: string, nodeId: string): void;
}

/** Question whose handler waits for the answer. */
interface RaisedQuestion {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  readonly resolve: (answer: Answer) => void;
}

/** Answer from elsewhere, until the journal has it. */
interface PendingAnswer {
  readonly answer: Answer;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Questions of one run. The interviewer is asked, files are watched, and other answers come by `answer`:
 * each is dispatched as an input of the machine, which takes the first and ignores the rest.
 */
export class StageQuestions implements AskingMachine {
  readonly #ports: StageQuestionsPorts;
  readonly #host: QuestionHost;
  readonly #raised = new Map<string, RaisedQuestion>();
  /** Aborted when a question is no longer asked. */
  readonly #asking = new Map<string, AbortController>();
  readonly #pending = new Map<string, PendingAnswer>();
  #isClosed = false;

  constructor(ports: StageQuestionsPorts, host: QuestionHost) {
    this.#ports = ports;
    this.#host = host;
  }

  /**
   * Asks for a stage.
   * @returns the answer; rejects when the signal is aborted
   */
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
   * @param signalOf returns the signal of the cursor, for questions of the engine about a stage, without a
   * handler that waits
   */
  async ask({ cursor, question }: AskEffect, signalOf: () => AbortSignal): Promise<void> {
    const { id: questionId, stage } = question;
    // An answer may have come while the question was being written.
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
    // Several branches may ask at the same stage: an answer that was left names one of their questions, and those that the
    // interviewer has for the stage are for the others.
    if (branchOf(cursor) !== undefined && laid?.find()) return;
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

  get onlyAsks(): boolean {
    return !this.#isClosed && this.#pending.size === 0 && this.#host.onlyAsks();
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

  /** Passes an answer in the journal to the handlers that wait for it. */
  deliver({ questionId, answer }: Extract<Effect, { kind: 'deliver' }>): void {
    const raised = this.#raised.get(questionId);
    const pending = this.#pending.get(questionId);
    this.#raised.delete(questionId);
    this.#pending.delete(questionId);
    this.#asking.get(questionId)?.abort(questionSettled);
    raised?.resolve(copyJson(answer));
    pending?.resolve(pending.answer === answer ? answer : undefined);
  }

  /**
   * Closes all questions.
   * @param error that broke the run off
   */
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

/**
 * Waiting question of a cursor. The engine's question about an interrupted stage is asked again on resume:
 * while it is suspended it takes no answer.
 */
function waitingOf({ question, phase }: Cursor): WaitingQuestion | undefined {
  return question !== undefined && phase === 'suspended' && isInterruption(question.question)
    ? undefined
    : question;
}

/**
 * Reason to close a question: it is kept after a pause; not after an answer, or when its branch was
 * stopped.
 */
function closingOf(reason: unknown): 'answered' | 'withdrawn' | 'kept' {
  if (reason === questionSettled) return 'answered';
  return reason instanceof StageStopped && reason.why === 'cancelled' ? 'withdrawn' : 'kept';
}
