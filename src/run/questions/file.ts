import { type FSWatcher, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { onAbort } from '../../abort/abort.js';
import { describeChoice } from '../../graph/choices.js';
import { StageStopped } from '../../handlers/handler.js';
import type { Answer, Question } from '../../machine/interview.js';
import { type Clock, systemClock } from '../driver/clock.js';
import { type Interviewer, questionSettled } from './interviewer.js';
import {
  describeProblem,
  namesIn,
  noteUnreadable,
  type QuestionFiles,
  questionFiles,
  readAnswerText,
  readIfPresent,
  rejectAnswer,
  writeQuestion,
} from './question-files.js';

export interface FileInterviewer extends Interviewer {
  /** Stops watching; open questions stay where they are. */
  close(): void;
}

export interface FileInterviewerOptions {
  /** Times the looks at the directory, which go on where the system tells nothing of new files. */
  readonly clock?: Clock;
}

const pollMs = 500;

/**
 * Asks through files, so that another process may answer, at once or days later. An open question is
 * `<question id>.json`; its answer is whatever somebody writes to `<question id>.answer`, as a person would type it, or to
 * `<question id>.answer.json`, as JSON (§6.3). An answer that does not fit is put aside, `<question id>.rejected` says why,
 * and the question stays open (SEMANTICS 55c); so it goes with one that comes when another has been taken. An answer that
 * is there before the question is taken too.
 * @param directory belongs to one run alone, in which question ids are unique
 */
export function fileInterviewer(
  directory: string,
  { clock = systemClock }: FileInterviewerOptions = {},
): FileInterviewer {
  const letterbox = new Letterbox(directory, clock);
  return {
    ask: async (question, signal) => letterbox.ask(question, signal),
    close: () => letterbox.close(),
  };
}

interface OpenQuestion {
  readonly question: Question;
  readonly files: QuestionFiles;
  /** What was in a file at the last look: one that is still being written changes. */
  readonly seen: Map<string, Seen>;
  /** Stops listening to the signal. */
  readonly unhear: () => void;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

type Seen = string | typeof unreadable;

/** Somebody's answer, and where it lies. */
interface Letter {
  readonly file: string;
  readonly answer: Answer;
}

/** A directory that somebody looks into as long as questions are open. */
class Letterbox {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenQuestion>();
  /** What this process has seen settled, for those who answer too late. */
  readonly #settled = new Map<string, { readonly files: QuestionFiles; readonly note: string }>();
  /** What has yet to be taken away. */
  readonly #leftovers = new Set<() => void>();
  readonly #stop = new AbortController();
  #watcher: FSWatcher | undefined;
  #isPolling = false;
  #isLookDue = false;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const { id } = question;
    if (signal.aborted || this.#stop.signal.aborted) return Promise.resolve(undefined);
    if (this.#open.has(id)) throw new Error(`another question with the id ${id} is open`);
    const files = questionFiles(this.#directory, id);
    return new Promise((resolve, reject) => {
      let release = (): void => undefined;
      const unhear = (): void => release();
      const open: OpenQuestion = { question, files, seen: new Map(), unhear, resolve, reject };
      this.#open.set(id, open);
      this.#settled.delete(id);
      this.#look(open);
      if (!this.#open.has(id)) return;
      this.#layOpen(open);
      release = onAbort(signal, () => this.#takeBack(open, signal.reason));
    });
  }

  close(): void {
    this.#stop.abort();
    this.#watcher?.close();
    for (const takeAway of this.#leftovers) takeAway();
    for (const open of [...this.#open.values()]) {
      this.#remove(open);
      open.resolve(undefined);
    }
  }

  #layOpen(open: OpenQuestion): void {
    try {
      writeQuestion(this.#directory, open.question);
    } catch (error) {
      this.#remove(open);
      return open.reject(error);
    }
    this.#watch();
    if (!this.#isPolling) void this.#poll();
  }

  /** Only makes it faster: not every file system tells, and not every system has a watch left to give. */
  #watch(): void {
    if (this.#watcher !== undefined) return;
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, () => this.#lookSoon());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // The polling remains.
    }
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#open.size > 0 && !this.#stop.signal.aborted) {
      await this.#clock.sleep(pollMs, this.#stop.signal).catch(() => undefined);
      this.#lookAtAll();
    }
    this.#isPolling = false;
  }

  #lookSoon(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    setImmediate(() => {
      this.#isLookDue = false;
      this.#lookAtAll();
    });
  }

  #lookAtAll(): void {
    if (this.#stop.signal.aborted) return;
    const names = new Set(namesIn(this.#directory));
    const hasAnswer = ({ answers }: QuestionFiles): boolean =>
      answers.some((file) => names.has(path.basename(file)));
    for (const open of [...this.#open.values()]) if (hasAnswer(open.files)) this.#look(open);
    for (const { files, note } of this.#settled.values()) if (hasAnswer(files)) rejectLate(files, note);
  }

  #look(open: OpenQuestion): void {
    try {
      const letter = letterFor(open);
      if (letter === undefined) return;
      this.#settle(open, `it came too late: ${describeAnswer(letter.answer)} had been answered`, letter.file);
      open.resolve(letter.answer);
    } catch (error) {
      this.#remove(open);
      open.reject(error);
    }
  }

  #takeBack(open: OpenQuestion, reason: unknown): void {
    if (this.#open.get(open.question.id) !== open) return;
    if (isFinal(reason)) this.#settle(open, 'it came too late: the question is no longer asked');
    else this.#remove(open);
    open.resolve(undefined);
  }

  #remove({ question, unhear }: OpenQuestion): void {
    this.#open.delete(question.id);
    unhear();
  }

  /** The files go in a later turn: until then the engine has recorded the answer, and a crash cannot lose it. */
  #settle(open: OpenQuestion, note: string, taken?: string): void {
    const { question, files } = open;
    this.#remove(open);
    const takeAway = (): void => {
      if (!this.#leftovers.delete(takeAway)) return;
      for (const file of [files.question, files.rejected, taken]) {
        if (file !== undefined) removeQuietly(file);
      }
      this.#settled.set(question.id, { files, note });
      rejectLate(files, note);
    };
    this.#leftovers.add(takeAway);
    setImmediate(takeAway);
  }
}

/** Whether the question will not be put again, because it is settled or because the branch that asked has been stopped. */
function isFinal(reason: unknown): boolean {
  return reason === questionSettled || (reason instanceof StageStopped && reason.why === 'cancelled');
}

/** The first answer that fits; others are put aside. */
function letterFor(open: OpenQuestion): Letter | undefined {
  for (const file of open.files.answers) {
    const answer = readLetter(open, file);
    if (answer !== undefined) return { file, answer };
  }
  return undefined;
}

function readLetter({ question, files, seen }: OpenQuestion, file: string): Answer | undefined {
  const before = seen.get(file);
  const written = readOrNote(file, files.rejected, before);
  seen.set(file, written);
  if (written === '' || written === unreadable) return undefined;
  const isUnchanged = written === before;
  const isJson = file === files.answers[1];
  const read = readAnswerText(question, written, isJson);
  if ('problem' in read) {
    if (isUnchanged) rejectAnswer(file, files.rejected, written, describeProblem(question, read.problem));
    return undefined;
  }
  // A line that has ended says all, but a text may have more than one.
  const isWhole = written.endsWith('\n') && (isJson || question.type !== 'FREEFORM');
  return isWhole || isUnchanged ? read.answer : undefined;
}

const unreadable = Symbol('unreadable');

/** Whoever left what cannot be read may yet put it right: it is noted once, and the question stays open. */
function readOrNote(file: string, rejected: string, before: Seen | undefined): Seen {
  try {
    return readIfPresent(file).replace(/^\uFEFF/, '');
  } catch (error) {
    if (before !== unreadable) noteUnreadable(file, rejected, error);
    return unreadable;
  }
}

/** A note that cannot be written, or a file that cannot be removed, is no reason to stop. */
function rejectLate(files: QuestionFiles, note: string): void {
  for (const file of files.answers) {
    try {
      const written = readIfPresent(file);
      if (written !== '') rejectAnswer(file, files.rejected, written, note);
    } catch {
      // Whoever waits for an answer sees that nobody takes it.
    }
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The journal knows that the question is answered.
  }
}

function describeAnswer({ selected_option: option, value }: Answer): string {
  return JSON.stringify(option === undefined ? value : describeChoice(option));
}
