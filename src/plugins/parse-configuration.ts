import path from 'node:path';
import { parseDocument } from 'yaml';
import type { Position } from '../diagnostic/source.js';
import { RunError } from '../run-directory/run-error.js';
import { yamlSpan } from '../run-directory/yaml-spans.js';

export interface ConfigurationText {
  readonly value: unknown;
  /** Position of a key, or of an item of a list; undefined if it is missing. */
  positionOf(path: readonly PropertyKey[]): Position | undefined;
}

/** Reads JSON or YAML, by the extension of the file. @throws RunError `usage` with line and column */
export function parseConfiguration(text: string, file: string): ConfigurationText {
  const document = parseDocument(text, { prettyErrors: false });
  const isJson = path.extname(file) === '.json';
  if (isJson) checkJson(text, file);
  const [error] = document.errors;
  if (error !== undefined) {
    const what = explained.get(error.code) ?? `not valid YAML: ${error.message}`;
    throw unreadable(file, positionAt(text, error.pos[0]), what);
  }
  return {
    value: isJson ? JSON.parse(text) : document.toJS(),
    positionOf(keys) {
      const span = yamlSpan(document, keys);
      return span && positionAt(text, span.start);
    },
  };
}

/** Explanations of errors that the parser words for programmers, or that JSON does not consider errors. */
const explained: ReadonlyMap<string, string> = new Map([
  ['DUPLICATE_KEY', 'a key appears twice; keep one of them'],
  ['MULTIPLE_DOCS', 'a second document starts here; a configuration has only one'],
]);

function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const what = message.replace(/ in JSON at position.*$/s, '').replace(/, .*is not valid JSON$/s, '');
    throw unreadable(file, positionAt(text, jsonErrorOffset(text, message)), `not valid JSON: ${what}`);
  }
}

function unreadable(file: string, { line, column }: Position, what: string): RunError {
  return new RunError('usage', `${file}:${line}:${column}: ${what}`);
}

/**
 * Offset of an error of `JSON.parse`, not all of whose messages have it; that of a truncated text has none.
 */
function jsonErrorOffset(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!message.startsWith('Unexpected token')) return text.length;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (hasUnexpectedToken(text.slice(0, middle))) bad = middle;
    else good = middle;
  }
  return bad - 1;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as SyntaxError).message.startsWith('Unexpected token');
  }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
