import { type FSWatcher, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { describeChoice } from '../../graph/choices.js';
import type { Answer, Question } from '../../machine/interview.js';
import { systemClock } from '../driver/clock.js';
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

/** Question in the directory while it waits for an answer. */
export interface LaidQuestion {
  /**
   * Looks for an answer that was left for this very question.
   * @returns true if it was taken
   */
  find(): boolean;
  /**
   * Looks for an answer now, and writes the question if there is none.
   * @returns true if an answer was taken
   */
  lay(): boolean;
  /**
   * Stops looking. The files of a question that is answered or withdrawn are removed; those of one that is
   * kept stay for a later answer.
   */
  close(why: 'answered' | 'withdrawn' | 'kept'): void;
}

/** Uses of a question in the directory. */
export interface LaidQuestionHost {
  /** @returns false if the question takes no answer any more */
  take(answer: Answer): boolean;
  /** Reports that the question cannot be answered by files. */
  onBroken(error: unknown): void;
}

interface OpenQuestion {
  readonly question: Question;
  readonly host: LaidQuestionHost;
  readonly files: QuestionFiles;
  /** Contents of the files at the last look: one that is still being written changes. */
  readonly seen: Map<string, FileState>;
  isLaid: boolean;
  /** Answer that was taken; its file stays until the journal has it, so that a crash cannot lose it. */
  taken: AnswerFile | undefined;
}

type FileState = string | typeof unreadable;

/** Answer with its file. */
interface AnswerFile {
  readonly file: string;
  readonly answer: Answer;
}

const pollMs = 500;

/**
 * Answers that other processes write to files, at once or days later. An open question is `<question
 * id>.json`; its answer is written to `<question id>.answer`, as a person would type it, or to `<question
 * id>.answer.json`, as JSON (§6.3). An answer that does not fit is rejected, `<question id>.rejected` has
 * the reason, and the question stays open (SEMANTICS 55c); so is one that comes after another has been
 * taken. An answer that comes before the question is taken too.
 */
export class AnswerFiles {
  readonly #directory: string;
  readonly #open = new Map<string, OpenQuestion>();
  /** Questions that this process has seen settled, for late answers. */
  readonly #settled = new Map<string, { readonly files: QuestionFiles; readonly note: string }>();
  /** Removals that are still due. */
  readonly #leftovers = new Set<() => void>();
  readonly #stop = new AbortController();
  #watcher: FSWatcher | undefined;
  #isPolling = false;
  #isLookDue = false;

  /** @param directory that belongs to one run alone, in which question ids are unique */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens a question. It is written in a later turn: most immediate answers need no file. */
  open(question: Question, host: LaidQuestionHost): LaidQuestion {
    const { id } = question;
    if (this.#open.has(id)) throw new Error(`another question with the id ${id} is open`);
    const files = questionFiles(this.#directory, id);
    const open: OpenQuestion = { question, host, files, seen: new Map(), isLaid: false, taken: undefined };
    this.#open.set(id, open);
    this.#settled.delete(id);
    setImmediate(() => this.#lay(open));
    return {
      find: () => this.#look(open),
      lay: () => this.#lay(open),
      close: (why) => this.#close(open, why),
    };
  }

  close(): void {
    this.#stop.abort();
    this.#watcher?.close();
    for (const takeAway of this.#leftovers) takeAway();
    this.#open.clear();
  }

  #lay(open: OpenQuestion): boolean {
    if (!this.#isOpen(open)) return false;
    if (this.#look(open)) return true;
    if (open.isLaid || !this.#isOpen(open)) return false;
    try {
      writeQuestion(this.#directory, open.question);
    } catch (error) {
      this.#giveUp(open, error);
      return false;
    }
    open.isLaid = true;
    this.#watch();
    if (!this.#isPolling) void this.#poll();
    return false;
  }

  #isOpen(open: OpenQuestion): boolean {
    return !this.#stop.signal.aborted && this.#open.get(open.question.id) === open;
  }

  #giveUp(open: OpenQuestion, error: unknown): void {
    this.#open.delete(open.question.id);
    open.host.onBroken(error);
  }

  /**
   * Watches the directory, only for speed: not every file system reports changes, and not every system has
   * a free watch.
   */
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
      await systemClock.sleep(pollMs, this.#stop.signal).catch(() => undefined);
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

  /** @returns true if an answer was taken */
  #look(open: OpenQuestion): boolean {
    if (open.taken !== undefined) return true;
    try {
      const found = answerFileOf(open);
      if (found === undefined) return false;
      // It may be delivered, and the question closed, before the call returns.
      open.taken = found;
      if (open.host.take(found.answer)) return true;
      open.taken = undefined;
      rejectLate(open.files, answeredElsewhere);
    } catch (error) {
      this.#giveUp(open, error);
    }
    return false;
  }

  #close(open: OpenQuestion, why: 'answered' | 'withdrawn' | 'kept'): void {
    if (!this.#isOpen(open)) return;
    if (why !== 'kept') return this.#settle(open, why);
    this.#open.delete(open.question.id);
    if (open.isLaid) return;
    try {
      writeQuestion(this.#directory, open.question);
    } catch {
      // The journal has the question.
    }
  }

  /** Removes the files in a later turn, when the waiting handler has its answer. */
  #settle({ question, files, taken }: OpenQuestion, why: 'answered' | 'withdrawn'): void {
    this.#open.delete(question.id);
    const takeAway = (): void => {
      if (!this.#leftovers.delete(takeAway)) return;
      for (const file of [files.question, files.rejected, taken?.file]) {
        if (file !== undefined) removeQuietly(file);
      }
      const note = noteOf(taken, why);
      this.#settled.set(question.id, { files, note });
      rejectLate(files, note);
    };
    this.#leftovers.add(takeAway);
    setImmediate(takeAway);
  }
}

const answeredElsewhere = 'it came too late: answered elsewhere';

function noteOf(taken: AnswerFile | undefined, why: 'answered' | 'withdrawn'): string {
  if (taken !== undefined) return `it came too late: ${describeAnswer(taken.answer)} was answered before`;
  return why === 'answered' ? answeredElsewhere : 'it came too late: the question is no longer asked';
}

/** First answer that fits; others are rejected. */
function answerFileOf(open: OpenQuestion): AnswerFile | undefined {
  for (const file of open.files.answers) {
    const answer = readAnswerFile(open, file);
    if (answer !== undefined) return { file, answer };
  }
  return undefined;
}

function readAnswerFile({ question, files, seen }: OpenQuestion, file: string): Answer | undefined {
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
  // A line that has ended is complete, but a text may have several.
  const isWhole = written.endsWith('\n') && (isJson || question.type !== 'FREEFORM');
  return isWhole || isUnchanged ? read.answer : undefined;
}

const unreadable = Symbol('unreadable');

/**
 * Reads a file, or notes once that it is unreadable: its author may correct it, and the question stays
 * open.
 */
function readOrNote(file: string, rejected: string, before: FileState | undefined): FileState {
  try {
    return readIfPresent(file).replace(/^\uFEFF/, '');
  } catch (error) {
    if (before !== unreadable) noteUnreadable(file, rejected, error);
    return unreadable;
  }
}

/**
 * Rejects a late answer; a note that cannot be written, or a file that cannot be removed, must not stop the
 * run.
 */
function rejectLate(files: QuestionFiles, note: string): void {
  for (const file of files.answers) {
    try {
      const written = readIfPresent(file);
      if (written !== '') rejectAnswer(file, files.rejected, written, note);
    } catch {
      // The author of the answer sees that nobody takes it.
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
