import { createHash, randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Question } from '../../machine/interview.js';
import {
  appendText,
  isRealDirectory,
  makeDirectory,
  makeDirectoryBelow,
  writeFileAtomically,
} from '../../run-directory/durable-file.js';
import { nodeFileSystem, temporaryName } from '../../run-directory/file-system.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { isFittingAnswer } from './is-fitting-answer.js';
import { expectedAnswer } from './question-text.js';
import { readAnswer } from './read-answer.js';

/** Files of a question while it waits for an answer (§6.1). */
export interface QuestionFiles {
  /** The question, as JSON. */
  readonly question: string;
  /** Files for an answer: one as a person would type it, and one as JSON (§6.3). */
  readonly answers: readonly [text: string, json: string];
  /** Notes about rejected answers. */
  readonly rejected: string;
}

export function questionFiles(directory: string, questionId: string): QuestionFiles {
  const base = path.join(directory, fileNameOf(questionId));
  return {
    question: `${base}.json`,
    answers: [`${base}.answer`, `${base}.answer.json`],
    rejected: `${base}.rejected`,
  };
}

/** File name of an id: those of the engine are valid names; of any other, enough is kept to recognize it. */
function fileNameOf(id: string): string {
  const isPlain =
    /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$/.test(id) && !/\.(?:json|answer|rejected|tmp)$/i.test(id);
  if (isPlain) return id;
  const legible = id.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60);
  return `${legible}~${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** Writes a question for those who may answer it. */
export function writeQuestion(directory: string, question: Question): void {
  makeQuestionDirectory(path.resolve(directory));
  writeFileAtomically(
    questionFiles(directory, question.id).question,
    `${JSON.stringify(question, null, 2)}\n`,
  );
}

/** Creates the directory of questions in a run directory, where nothing else may have its name. */
function makeQuestionDirectory(directory: string): void {
  const above = path.dirname(directory);
  makeDirectory(above);
  makeDirectoryBelow(above, path.basename(directory));
}

/** Names of the files in a directory; none if it does not exist. */
export function namesIn(directory: string): readonly string[] {
  try {
    return isRealDirectory(directory) ? [...nodeFileSystem.readdir(directory)].sort() : [];
  } catch {
    return [];
  }
}

/** True if there is an answer that no process has taken yet. */
export function hasAnswer(directory: string, questionId: string): boolean {
  return questionFiles(directory, questionId).answers.some((file) => {
    try {
      return readIfPresent(file) !== '';
    } catch {
      return false;
    }
  });
}

/** Answer that was written for the process that asks. */
export interface LeftAnswer {
  readonly file: string;
  /** Whole content of the file; no other answer has the same. */
  readonly text: string;
}

/**
 * Writes an answer for the process that asks, whole or not at all.
 * @returns undefined if another answer came first
 */
export function leaveAnswer(directory: string, question: Question, answer: Answer): LeftAnswer | undefined {
  const place = path.resolve(directory);
  const [text, file] = questionFiles(directory, question.id).answers;
  if (namesIn(directory).includes(path.basename(text))) return undefined;
  const written = `${JSON.stringify({ by: randomUUID(), ...answer })}\n`;
  // Next to the directory: the process that takes the answer may remove it at once, which no other entry
  // must prevent.
  const own = temporaryName(path.join(path.dirname(place), path.basename(file)));
  nodeFileSystem.writeFile(own, written);
  try {
    return linkInto(place, own, file) ? { file, text: written } : undefined;
  } finally {
    nodeFileSystem.rm(own);
  }
}

/** @returns false if there is such a file already */
function linkInto(directory: string, own: string, file: string): boolean {
  for (let isAgain = false; ; isAgain = true) {
    try {
      makeQuestionDirectory(directory);
      nodeFileSystem.link(own, file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // A run that ends removes the directory, which may be just now.
      if (code !== 'ENOENT' || isAgain) throw error;
    }
  }
}

/** Content of an answer file: the answer, or the reason why it is not one. */
export type ReadAnswerFile = { readonly answer: Answer } | { readonly problem: string };

/**
 * Reads a text as the answer to a question.
 * @param isJson true if the name of the file says that it is JSON
 */
export function readAnswerText(question: Question, written: string, isJson: boolean): ReadAnswerFile {
  let answer: Answer | undefined;
  try {
    answer = readAnswer(question, isJson ? parseJson(written) : written);
  } catch (error) {
    return {
      problem:
        error instanceof SyntaxError
          ? `it is not JSON (${error.message})`
          : 'it has neither a `value` nor a `text`',
    };
  }
  if (answer !== undefined && isFittingAnswer(question, answer)) return { answer };
  return { problem: 'it is not one of the choices' };
}

/** Value of JSON; a number, as of a choice, may lack quotes. The author of an answer is not part of it. */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const { by: _by, ...answer } = value as { readonly by?: unknown };
  return answer;
}

/** Rejects an answer, with a note for its author. */
export function rejectAnswer(file: string, rejected: string, written: string, problem: string): void {
  // The author may write the next answer as soon as the note is there: it must not be the one that is
  // removed.
  nodeFileSystem.rm(file);
  appendText(rejected, `${noteHead(file, written)}${problem}\n`);
}

/** Notes that an answer cannot be read. It stays: it may be a directory of the author's. */
export function noteUnreadable(file: string, rejected: string, error: unknown): void {
  appendText(rejected, `${path.basename(file)} cannot be read: ${describeSystemError(error)}\n`);
}

/** Beginning of the note about an answer. */
function noteHead(file: string, written: string): string {
  return `${path.basename(file)} said ${JSON.stringify(written.trim().slice(0, 200))}: `;
}

/** Reason why an answer was rejected; undefined if it was not. */
export function rejectionOf({ file, text }: LeftAnswer, files: QuestionFiles): string | undefined {
  const head = noteHead(file, text);
  const note = readIfPresent(files.rejected)
    .split('\n')
    .find((line) => line.startsWith(head));
  return note?.slice(head.length);
}

/** Bytes. */
const longestAnswer = 16 * 1024 * 1024;

/** Content of a file; empty if it does not exist. */
export function readIfPresent(file: string): string {
  try {
    return nodeFileSystem.readFile(file, longestAnswer).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Problem of an answer, with the expected ones. */
export function describeProblem(question: Question, problem: string): string {
  return `${problem}; answer with ${expectedAnswer(question)}`;
}

/**
 * Removes the questions of a directory that are no longer asked. Answers that nobody took are rejected,
 * with a note, and the directory is removed when it is empty. What cannot be removed stays: the journal
 * says that nothing is asked any more.
 * @returns a problem for each file that stays
 */
export function clearQuestions(directory: string, note: string): readonly string[] {
  const problems: string[] = [];
  for (const name of namesIn(directory)) {
    try {
      clearFile(directory, name, note);
    } catch (error) {
      problems.push(`${path.join(directory, name)}: ${describeSystemError(error)}`);
    }
  }
  try {
    rmdirSync(directory);
  } catch {
    // It never was, or holds notes.
  }
  return problems;
}

function clearFile(directory: string, name: string, note: string): void {
  const file = path.join(directory, name);
  const base = /^(.*)\.answer(?:\.json)?$/.exec(name)?.[1];
  if (base !== undefined)
    rejectAnswer(file, path.join(directory, `${base}.rejected`), readIfPresent(file), note);
  else if (name.endsWith('.json')) nodeFileSystem.rm(file);
}
