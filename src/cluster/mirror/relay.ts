import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Question } from '../../machine/interview.js';
import { answerAsTyped } from '../../run/questions/match-answer.js';
import {
  clearQuestions,
  namesIn,
  questionFiles,
  readAnswerText,
  readIfPresent,
  rejectAnswer,
  writeQuestion,
} from '../../run/questions/question-files.js';
import { runFiles } from '../../run-directory/run-files.js';
import {
  type ControlRequest,
  isRequestPending,
  refuseSteering,
  runOwner,
  watchRequests,
} from '../../run-directory/run-requests.js';
import { questionsOf } from '../../setup/questions-of.js';
import { overviewOf } from '../../view/run-overview.js';
import type { ClusterRun, UnsentMessage } from '../cluster.js';
import type { RunHistory } from '../run-history.js';

/**
 * Passes on to a run of a cluster what processes leave in its directory here, as they do where a process executes the run: requests
 * and answers become messages, and a refusal gets to where that process looks for it.
 */
export class Relay {
  readonly #run: ClusterRun;
  readonly #directory: string;
  readonly #questions: string;
  readonly #onProblem: (error: unknown) => void;
  /** Ids of the questions that are open now. */
  #open: ReadonlySet<string> = new Set();
  /** All that were open since the relay began: an answer may be on its way when the question is closed. */
  readonly #asked = new Map<string, Question>();
  /** Messages without a receipt, by their id. */
  readonly #unsettled = new Map<string, Settlement>();
  readonly #sending = new Set<Promise<unknown>>();
  #watched: number | undefined;
  #stopWatching: () => void = () => undefined;

  /** @param onProblem called when a message cannot be sent */
  constructor(run: ClusterRun, directory: string, onProblem: (error: unknown) => void) {
    this.#run = run;
    this.#directory = directory;
    this.#questions = path.join(directory, runFiles.questions);
    this.#onProblem = onProblem;
  }

  /**
   * Passes on requests.
   * @param hasNews true if the directory has new events
   */
  look(hasNews: boolean): void {
    if (hasNews) this.#renewQuestions();
    this.#watch();
    if (this.#open.size === 0) this.#clear();
  }

  /** Passes on answers, and brings back what became of messages; to be called before the directory shows that nothing executes the run any more. */
  settle(): void {
    this.#takeAnswers();
    const { receipts, isOver } = this.#run.history;
    for (const [id, { settle, refusalAtEnd }] of this.#unsettled) {
      const receipt = receipts.get(id);
      if (receipt === undefined && !isOver) continue;
      this.#unsettled.delete(id);
      settle(receipt === undefined ? refusalAtEnd() : receipt.refusal);
    }
  }

  /** Passes on what was left last, and ends. */
  async close(): Promise<void> {
    while (requestKinds.some((kind) => isRequestPending(this.#directory, kind)))
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    this.#takeAnswers();
    await Promise.all(this.#sending);
    this.#stopWatching();
  }

  #watch(): void {
    const since = runOwner(this.#directory)?.since;
    if (since === this.#watched) return;
    this.#stopWatching();
    this.#watched = since;
    this.#stopWatching =
      since === undefined
        ? () => undefined
        : watchRequests(this.#directory, (request) => this.#pass(request));
  }

  #pass(request: ControlRequest): void {
    if (request.kind !== 'steer') return void this.#send(request);
    const { id, stage, branch, text, person: by } = request;
    this.#unsettled.set(id, {
      settle: (refusal) => {
        if (refusal !== undefined) refuseSteering(this.#directory, id, refusal);
      },
      refusalAtEnd: () => undefined,
    });
    this.#send({ kind: 'steer', stage, branch, text, by }, id);
  }

  #send(message: UnsentMessage, id?: string): void {
    const sending = this.#run.send(message, id).catch(this.#onProblem);
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  /** Questions lie in the directory for those who look there. */
  #renewQuestions(): void {
    const { history } = this.#run;
    const asked = history.isOver ? [] : questionsOf(overviewOf(this.#directory, Date.now()));
    const open = new Set(asked.map(({ question }) => question.id));
    for (const id of this.#open) if (!open.has(id)) this.#remove(questionFiles(this.#questions, id).question);
    for (const { question } of asked) {
      if (!this.#open.has(question.id)) writeQuestion(this.#questions, question);
      this.#asked.set(question.id, question);
    }
    this.#open = open;
  }

  #clear(): void {
    // The fate of an answer comes with its receipt.
    if (this.#unsettled.size === 0 && !this.#hasAnswers()) clearQuestions(this.#questions, tooLate);
  }

  #hasAnswers(): boolean {
    return namesIn(this.#questions).some((name) => name.endsWith('.answer.json'));
  }

  #takeAnswers(): void {
    if (this.#hasAnswers()) for (const question of this.#asked.values()) this.#takeAnswer(question);
  }

  #takeAnswer(question: Question): void {
    const files = questionFiles(this.#questions, question.id);
    const [, file] = files.answers;
    const written = readIfPresent(file);
    const id = messageId(question, written);
    if (written === '' || this.#unsettled.has(id)) return;
    const read = readAnswerText(question, written, true);
    if ('problem' in read) return rejectAnswer(file, files.rejected, written, read.problem);
    const { answer } = read;
    this.#unsettled.set(id, {
      settle: (refusal) => {
        // Another process may keep the same copy.
        if (readIfPresent(file) !== written) return;
        if (refusal === undefined) this.#remove(file);
        else rejectAnswer(file, files.rejected, written, refusal);
      },
      refusalAtEnd: () => (isRecorded(this.#run.history, question, answer) ? undefined : tooLate),
    });
    if (this.#run.history.isOver) return;
    this.#send({ kind: 'answer', question: question.id, answer: answerAsTyped(question, answer) }, id);
  }

  #remove(file: string): void {
    rmSync(file, { force: true });
  }
}

const requestKinds = ['cancel', 'pause', 'steer'] as const;
const lookMs = 20;
const tooLate = 'it came too late: the question is no longer asked';

/** Message that was sent, for whoever waits for it. */
interface Settlement {
  /** @param refusal reason why it has no effect, as a sentence; undefined if it has */
  settle(refusal: string | undefined): void;
  /** The same where the run has ended before the receipt of the message was recorded. */
  refusalAtEnd(): string | undefined;
}

function isRecorded({ run, children }: RunHistory, { id }: Question, { value }: Answer): boolean {
  return [run, ...children.values()].some(({ events }) =>
    events.some(
      (event) =>
        event.type === 'InterviewCompleted' &&
        [event.question_id, `${event.run_id}.${event.question_id}`].includes(id) &&
        event.answer.value === value,
    ),
  );
}

/** The same for the same answer, whichever process passes it on. */
function messageId({ id }: Question, written: string): string {
  return createHash('sha256')
    .update(JSON.stringify([id, written]))
    .digest('hex')
    .slice(0, 32);
}
