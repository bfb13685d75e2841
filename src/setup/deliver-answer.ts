import { existsSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import type { Answer, Question } from '../machine/interview.js';
import {
  type LeftAnswer,
  leaveAnswer,
  type QuestionFiles,
  questionFiles,
  readAnswerText,
  readIfPresent,
  rejectionOf,
} from '../run/questions/question-files.js';
import { isProcessAlive } from '../run-directory/lock-owner.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { type RunOwner, runOwner } from '../run-directory/run-requests.js';
import { overviewOf } from '../view/run-overview.js';
import { questionsOf } from './questions-of.js';
import { UsageError } from './usage-error.js';

/**
 * - `taken`: the process that executes the run has it
 * - `kept`: no process executes the run, and the next one will find it
 * - `waiting`: a process executes the run, but does not look for answers now
 */
export type Delivery = 'taken' | 'kept' | 'waiting';

/** Error for an answer after the first one. Its message has advice for whoever has the files of the run. */
export class AlreadyAnswered extends UsageError {
  /** The same without paths of this machine, for those who only see the run. */
  readonly fact: string;

  constructor(fact: string, file: string) {
    super(`${fact}; until a process takes it, you can withdraw it by removing ${file}`);
    this.fact = fact;
  }
}

const patienceMs = 5000;
/** Interval in milliseconds, because a process that dies changes no file. */
const lookMs = 200;

/**
 * Writes an answer into the directory of a run, and checks if it is taken.
 * @throws AlreadyAnswered if another answer came first, UsageError if it was not taken, RunError `storage`
 */
export async function deliverAnswer(
  directory: string,
  question: Question,
  answer: Answer,
): Promise<Delivery> {
  const questions = path.join(directory, runFiles.questions);
  const files = questionFiles(questions, question.id);
  const left = leave(questions, question, answer);
  if (left === undefined) throw alreadyAnswered(files, question);
  let asker: RunOwner | undefined;
  const changes = changesIn(questions);
  const end = performance.now() + patienceMs;
  try {
    do {
      // Read before the answer: a process may take it in between, and end.
      const owner = runOwner(directory);
      asker = owner ?? asker;
      const mayTake = asker !== undefined && mayStillTake(asker, owner);
      if (readIfPresent(left.file) !== left.text) {
        const problem = rejectionOf(left, files);
        if (problem === undefined) return 'taken';
        throw new UsageError(`the answer to "${question.stage}" was not taken: ${problem}`);
      }
      if (owner === undefined && isOpen(directory, question)) return 'kept';
      if (!mayTake) throw tooLate(left, question);
      await changes.next();
    } while (performance.now() < end);
    return 'waiting';
  } finally {
    changes.close();
  }
}

/** A process that has released the run may still have taken the answer; one on another machine is only visible while it has the run. */
function mayStillTake(asker: RunOwner, owner: RunOwner | undefined): boolean {
  return asker.elsewhere === undefined ? isProcessAlive(asker.pid) : owner !== undefined;
}

interface Changes {
  /** Resolves at the next change, and after a while without one. */
  next(): Promise<void>;
  close(): void;
}

/** Polls; that suffices for a file system that reports no changes. */
function changesIn(directory: string): Changes {
  let wake: () => void = () => undefined;
  const stop = new AbortController();
  try {
    watch(directory, { persistent: false, signal: stop.signal }, () => wake()).on('error', () => undefined);
  } catch {
    // The system has no more watches.
  }
  return {
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, lookMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close: () => stop.abort(),
  };
}

function isOpen(directory: string, { id }: Question): boolean {
  return questionsOf(overviewOf(directory, Date.now())).some(({ question }) => question.id === id);
}

/**
 * Error for an answer that came too late: the process may have ended between the look at its journal and
 * the answer.
 */
function tooLate({ file }: LeftAnswer, { stage }: Question): UsageError {
  rmSync(file, { force: true });
  return new UsageError(`the answer to "${stage}" came too late: the question is no longer open`);
}

function leave(questions: string, question: Question, answer: Answer): LeftAnswer | undefined {
  try {
    return leaveAnswer(questions, question, answer);
  } catch (error) {
    const what = describeSystemError(error);
    throw new RunError('storage', `the answer could not be written to ${questions}: ${what}`, {
      cause: error,
    });
  }
}

function alreadyAnswered(files: QuestionFiles, question: Question): AlreadyAnswered {
  const [text, json] = files.answers;
  const file = existsSync(text) ? text : json;
  const choice = choiceIn(file, file === json, question);
  const given = choice === undefined ? '' : ` with "${choice}"`;
  const fact = `"${question.stage}" has already been answered${given}, and the first answer counts`;
  return new AlreadyAnswered(fact, file);
}

/** Choice in a file that nobody has taken yet; undefined if there is none. */
function choiceIn(file: string, isJson: boolean, question: Question): string | undefined {
  try {
    const read = readAnswerText(question, readIfPresent(file), isJson);
    return 'answer' in read ? read.answer.selected_option?.label : undefined;
  } catch {
    return undefined;
  }
}
