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

/** Where a question and what belongs to it lie while it waits for somebody (§6.1). */
export interface QuestionFiles {
  /** The question, as JSON. */
  readonly question: string;
  /** Where an answer is looked for: one as a person would type it, and one as JSON (§6.3). */
  readonly answers: readonly [text: string, json: string];
  /** What was wrong with answers that were put aside. */
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

/** The ids that the engine makes are names of files already; of any other, enough is kept to recognise it. */
function fileNameOf(id: string): string {
  const isPlain =
    /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$/.test(id) && !/\.(?:json|answer|rejected|tmp)$/i.test(id);
  if (isPlain) return id;
  const legible = id.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60);
  return `${legible}~${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** Lays a question open for those who may answer it. */
export function writeQuestion(directory: string, question: Question): void {
  makeQuestionDirectory(path.resolve(directory));
  writeFileAtomically(
    questionFiles(directory, question.id).question,
    `${JSON.stringify(question, null, 2)}\n`,
  );
}

/** It lies in a run directory, where nothing else may stand in its place. */
function makeQuestionDirectory(directory: string): void {
  const above = path.dirname(directory);
  makeDirectory(above);
  makeDirectoryBelow(above, path.basename(directory));
}

/** The names of the files in a directory; none where it does not exist. */
export function namesIn(directory: string): readonly string[] {
  try {
    return isRealDirectory(directory) ? [...nodeFileSystem.readdir(directory)].sort() : [];
  } catch {
    return [];
  }
}

/** Whether somebody has left an answer that no process has taken yet. */
export function hasAnswer(directory: string, questionId: string): boolean {
  return questionFiles(directory, questionId).answers.some((file) => {
    try {
      return readIfPresent(file) !== '';
    } catch {
      return false;
    }
  });
}

/** An answer that was left for the process that asks. */
export interface LeftAnswer {
  readonly file: string;
  /** All that is in the file; no other answer has the same. */
  readonly text: string;
}

/**
 * Leaves an answer for the process that asks, whole or not at all.
 * @returns undefined where somebody else was faster
 */
export function leaveAnswer(directory: string, question: Question, answer: Answer): LeftAnswer | undefined {
  const place = path.resolve(directory);
  const [text, file] = questionFiles(directory, question.id).answers;
  if (namesIn(directory).includes(path.basename(text))) return undefined;
  const written = `${JSON.stringify({ by: randomUUID(), ...answer })}\n`;
  // Next to the directory: whoever takes the answer may take that away at once, which nothing else in it must prevent.
  const own = temporaryName(path.join(path.dirname(place), path.basename(file)));
  nodeFileSystem.writeFile(own, written);
  try {
    return linkInto(place, own, file) ? { file, text: written } : undefined;
  } finally {
    nodeFileSystem.rm(own);
  }
}

/** @returns false where there is such a file already */
function linkInto(directory: string, own: string, file: string): boolean {
  for (let isAgain = false; ; isAgain = true) {
    try {
      makeQuestionDirectory(directory);
      nodeFileSystem.link(own, file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // A run that ends takes the directory away, which may be just now.
      if (code !== 'ENOENT' || isAgain) throw error;
    }
  }
}

/** What a file with an answer says: the answer, or why it is none. */
export type ReadAnswerFile = { readonly answer: Answer } | { readonly problem: string };

/** Reads what somebody wrote as the answer to a question. @param isJson whether the file says that it is JSON */
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
  return { problem: 'it is none of the choices' };
}

/** A number, as of a choice, may be written without quotes. Who an answer is from is not part of it. */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const { by: _by, ...answer } = value as { readonly by?: unknown };
  return answer;
}

/** Puts an answer aside, with a note for whoever wrote it. */
export function rejectAnswer(file: string, rejected: string, written: string, problem: string): void {
  // Whoever sees the note may write the next answer at once: it must not be the one that is removed.
  nodeFileSystem.rm(file);
  appendText(rejected, `${noteHead(file, written)}${problem}\n`);
}

/** Notes that an answer cannot be read. It stays where it is: it may be somebody's whole directory. */
export function noteUnreadable(file: string, rejected: string, error: unknown): void {
  appendText(rejected, `${path.basename(file)} cannot be read: ${describeSystemError(error)}\n`);
}

/** How the note about an answer begins. */
function noteHead(file: string, written: string): string {
  return `${path.basename(file)} said ${JSON.stringify(written.trim().slice(0, 200))}: `;
}

/** Why an answer was put aside; undefined where it was not. */
export function rejectionOf({ file, text }: LeftAnswer, files: QuestionFiles): string | undefined {
  const head = noteHead(file, text);
  const note = readIfPresent(files.rejected)
    .split('\n')
    .find((line) => line.startsWith(head));
  return note?.slice(head.length);
}

/** Bytes. */
const longestAnswer = 16 * 1024 * 1024;

/** What is in a file; nothing where it does not exist. */
export function readIfPresent(file: string): string {
  try {
    return nodeFileSystem.readFile(file, longestAnswer).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** What is wrong with an answer, and what was expected. */
export function describeProblem(question: Question, problem: string): string {
  return `${problem}; answer with ${expectedAnswer(question)}`;
}

/**
 * Takes away the questions of a directory that are no longer asked. Answers that nobody took are put aside, with a note,
 * and the directory goes when nothing is left in it.
 */
export function clearQuestions(directory: string, note: string): void {
  for (const name of namesIn(directory)) {
    const file = path.join(directory, name);
    const base = /^(.*)\.answer(?:\.json)?$/.exec(name)?.[1];
    if (base !== undefined) {
      const rejected = path.join(directory, `${base}.rejected`);
      rejectAnswer(file, rejected, readIfPresent(file), note);
    } else if (name.endsWith('.json')) nodeFileSystem.rm(file);
  }
  try {
    rmdirSync(directory);
  } catch {
    // It never was, or holds notes.
  }
}
