import { readFileSync } from 'node:fs';
import path from 'node:path';
import { linkOf } from '../../src/run-directory/hashed-line.js';

export interface JournalLine {
  readonly seq: number;
  readonly type: string;
  readonly node_id?: string;
  readonly [field: string]: unknown;
}

/** The events of a run's journal, without their hashes; none where it has no journal yet. */
export function journalOf(runDirectory: string): readonly JournalLine[] {
  return lines(journalText(runDirectory)).map((line) => JSON.parse(linkOf(line).text) as JournalLine);
}

/** The same as text: a last line that is not whole is left out. */
export function journalText(runDirectory: string): string {
  const text = readIfPresent(path.join(runDirectory, 'events.jsonl'));
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** The lines of a file; none where there is no file. */
export function linesOf(file: string): readonly string[] {
  return lines(readIfPresent(file));
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
