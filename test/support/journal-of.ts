import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface JournalLine {
  readonly seq: number;
  readonly type: string;
  readonly node_id?: string;
  readonly [field: string]: unknown;
}

/** The whole lines of a run's journal; none where it has no journal yet. */
export function journalOf(runDirectory: string): readonly JournalLine[] {
  return lines(journalText(runDirectory)).map((line) => JSON.parse(line) as JournalLine);
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
