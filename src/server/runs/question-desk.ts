import path from 'node:path';
import { onAbort } from '../../abort/abort.js';
import type { Answer, Question } from '../../machine/interview.js';
import { type FileInterviewer, fileInterviewer } from '../../run/questions/file.js';
import { firstOf } from '../../run/questions/first-of.js';
import type { Interviewer } from '../../run/questions/interviewer.js';
import { clearQuestions } from '../../run/questions/question-files.js';
import { runFiles } from '../../run-directory/run-files.js';

/** A question that waits for somebody, as the run of the server is asked it: those of child runs too. */
export interface DeskQuestion {
  readonly question: Question;
  /** ISO 8601. */
  readonly askedAt: string;
}

interface OpenQuestion extends DeskQuestion {
  readonly settle: (answer: Answer | undefined) => void;
}

/**
 * Where a run of the server meets people (§6.4): its questions stay open in the process until somebody answers, on the page,
 * from a shell (`attractor answer`, by files), or where the configuration asks.
 */
export class QuestionDesk implements Interviewer {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #directory: string;
  readonly #files: FileInterviewer;
  readonly #now: () => number;
  #everyone: Interviewer;

  /** @param directory the run directory */
  constructor(directory: string, now: () => number) {
    this.#directory = path.join(directory, runFiles.questions);
    this.#now = now;
    this.#files = fileInterviewer(this.#directory);
    this.#everyone = firstOf(this.#people(), this.#files);
  }

  /** Has somebody else be asked too, as the configuration wants it. */
  alsoAsk(interviewer: Interviewer): void {
    this.#everyone = firstOf(this.#people(), this.#files, interviewer);
  }

  ask: Interviewer['ask'] = (question, signal, warn) => this.#everyone.ask(question, signal, warn);

  inform(message: string, stage: string): void {
    this.#everyone.inform?.(message, stage);
  }

  get questions(): readonly DeskQuestion[] {
    return [...this.#open.values()];
  }

  /** How many wait. */
  get size(): number {
    return this.#open.size;
  }

  /** Answers a question at once. @returns false where it is not open: somebody else was faster */
  answer(id: string, answer: Answer): boolean {
    const open = this.#open.get(id);
    open?.settle(answer);
    return open !== undefined;
  }

  /** @param isOver nothing will be asked any more; what is open otherwise stays in its file */
  close(isOver: boolean): void {
    this.#files.close();
    for (const { settle } of [...this.#open.values()]) settle(undefined);
    if (isOver) clearQuestions(this.#directory, 'the run is over; nothing is asked any more');
  }

  #people(): Interviewer {
    return { ask: (question, signal) => this.#askPeople(question, signal) };
  }

  #askPeople(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined): void => {
        this.#open.delete(question.id);
        release();
        resolve(answer);
      };
      const release = onAbort(signal, () => settle(undefined));
      this.#open.set(question.id, { question, askedAt: new Date(this.#now()).toISOString(), settle });
    });
  }
}
