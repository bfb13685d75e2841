import { deepFreeze } from '../../graph/deep-freeze.js';
import type { QuestionDraft } from '../../handlers/question-draft.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { AttemptInput } from '../../machine/input.js';
import type { Answer, Question } from '../../machine/interview.js';
import { noRedactor } from '../../secrets/redactor.js';
import { readQuestion } from '../questions/read-question.js';
import type { AwaitedTime } from './awaited-time.js';
import type { DriverPorts } from './driver-ports.js';
import { externalizeQuestion } from './externalize.js';

/** Connection of a stage's questions to people. */
interface InterviewHost {
  readonly ports: DriverPorts;
  /** Asks a person; rejects when the signal is aborted. */
  raise(attempt: AttemptInput, question: Question, signal: AbortSignal): Promise<Answer>;
}

interface AttemptInterviewOptions {
  readonly host: InterviewHost;
  readonly effect: ExecuteEffect;
  /** Counts the time in which people are awaited. */
  readonly awaited: AwaitedTime;
  /** Aborted when the attempt is stopped. */
  readonly stopped: AbortSignal;
  /** Throws if the handler can no longer ask. */
  checkOpen(): void;
}

/** Questions of one attempt to people, one at a time, whatever the handler does (SEMANTICS 75). */
export class AttemptInterview {
  readonly #awaited: AwaitedTime;
  readonly #host: InterviewHost;
  readonly #effect: ExecuteEffect;
  readonly #signal: AbortSignal;
  readonly #checkOpen: () => void;
  /** Aborted when the attempt is over. */
  readonly #over = new AbortController();
  #count = 0;
  #lastAnswer: Promise<unknown> = Promise.resolve();

  constructor({ host, effect, awaited, stopped, checkOpen }: AttemptInterviewOptions) {
    this.#awaited = awaited;
    this.#host = host;
    this.#effect = effect;
    this.#signal = AbortSignal.any([stopped, this.#over.signal]);
    this.#checkOpen = checkOpen;
  }

  ask(draft: QuestionDraft): Promise<Answer> {
    return this.#answerTo(async () => this.#raise(this.#question(draft)));
  }

  /** Asks one question after the other; all are read first: a handler that cannot ask all of them must ask none. */
  askMultiple(drafts: readonly QuestionDraft[]): Promise<readonly Answer[]> {
    return this.#answerTo(async () => {
      const questions = drafts.map((draft) => this.#question(draft));
      return Promise.all(questions.map((question) => this.#raise(question)));
    });
  }

  /** Withdraws open questions. */
  close(reason: Error): void {
    this.#over.abort(reason);
  }

  /**
   * Asks for a handler, which may have left before its questions were answered: their withdrawal must not
   * end the process.
   */
  #answerTo<Result>(ask: () => Promise<Result>): Promise<Result> {
    const answer = ask();
    answer.catch(() => undefined);
    return answer;
  }

  #question(draft: QuestionDraft): Question {
    this.#checkOpen();
    const { nodeId, index, attempt } = this.#effect;
    const { artifacts, redactor = noRedactor } = this.#host.ports;
    const { key, ...asked } = draft;
    if (key === undefined) this.#count += 1;
    const id = `${nodeId}.${index}.${attempt}.${key ?? this.#count}`;
    const read = readQuestion(asked, id, nodeId);
    const question = { ...redactor.json(read), id, stage: nodeId, type: read.type };
    const small = externalizeQuestion(question, artifacts);
    // An artifact is on the disk before an event names it.
    if (small.text !== question.text) artifacts.sync();
    return deepFreeze(small);
  }

  #raise(question: Question): Promise<Answer> {
    const { cursor, index, attempt } = this.#effect;
    const raise = (): Promise<Answer> =>
      this.#awaited.during(this.#host.raise({ cursor, index, attempt }, question, this.#signal));
    const answer = this.#lastAnswer.then(raise, raise);
    this.#lastAnswer = answer;
    return answer;
  }
}
