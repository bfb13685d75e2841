import path from 'node:path';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';
import { stripStyles } from '../../diagnostic/terminal-text.js';
import type { StageFailed } from '../../machine/event.js';
import type { VisitRecord } from '../../view/fold/visit-record.js';
import { formatBytes } from '../../view/format-values.js';
import { outputNames, readPart } from './output-files.js';

/** Lines at the end of a failed stage's output that are shown, of all its outputs together. */
const linesShown = 20;
/** Bytes of a file in which they are looked for, and characters of a line that are shown. */
const searched = 64 * 1024;
const lineKept = 500;

/** End of one output of a stage. */
interface OutputEnd {
  readonly name: string;
  /** Undefined for words that are in no file. */
  readonly file: string | undefined;
  readonly lines: readonly string[];
  /** False if the file has more than was read. */
  readonly isWhole: boolean;
  /** Size of the whole output for people. */
  readonly size: string;
}

export interface FailureTailOptions {
  /** Directory of the stage's files; undefined if it is not known. */
  readonly directory: string | undefined;
  /** The visit before it ended. */
  readonly visit: VisitRecord | undefined;
  readonly displayPath: (file: string) => string;
}

/**
 * End of what a failed stage has printed, or of what its model has said, with the files that have all of it; nothing if
 * its reason has it all in one line.
 */
export function failureTail({ error }: StageFailed, options: FailureTailOptions): readonly string[] {
  const { displayPath } = options;
  const ends = outputEnds(options);
  const count = ends.reduce((sum, { lines }) => sum + lines.length, 0);
  const [only] = ends[0]?.lines ?? [];
  if (count === 0 || (count === 1 && only !== undefined && error.includes(only))) return [];
  const shown = ends.map((end, index) => {
    const others = ends
      .filter((_, other) => other !== index)
      .reduce((sum, { lines }) => sum + lines.length, 0);
    // Each output has half of the lines, and those that the other leaves.
    const room = Math.max(Math.ceil(linesShown / ends.length), linesShown - others);
    return { ...end, lines: end.lines.slice(-room), isCut: !end.isWhole || end.lines.length > room };
  });
  return shown.flatMap(({ name, file, lines, size, isCut }) => [
    ...(ends.length > 1 ? [`${name}:`] : []),
    ...lines.map((line) => `│ ${line}`),
    ...(file === undefined || !isCut ? [] : [`full output: ${printable(displayPath(file))} (${size})`]),
  ]);
}

function outputEnds({ directory, visit }: FailureTailOptions): readonly OutputEnd[] {
  const ends = directory === undefined ? [] : outputNames.flatMap((name) => endOfFile(directory, name) ?? []);
  if (ends.length > 0) return ends;
  const words = visit?.stream?.parts.map(({ text }) => text).join('') ?? '';
  const lines = linesIn(words);
  return lines.length === 0 ? [] : [{ name: 'last words', file: undefined, lines, isWhole: true, size: '' }];
}

function endOfFile(directory: string, name: string): OutputEnd | undefined {
  const file = path.join(directory, name);
  const part = readPart(file, -searched, searched);
  if (part === undefined) return undefined;
  const isWhole = part.size === part.data.length;
  const lines = linesIn(part.data.toString('utf8'));
  if (lines.length === 0) return undefined;
  return {
    name,
    file,
    lines,
    isWhole,
    size: isWhole ? counted(lines.length, 'line') : formatBytes(part.size),
  };
}

/** Lines as they would be on a terminal, without colours, and without empty ones at both ends. */
function linesIn(text: string): readonly string[] {
  const plain = stripStyles(text)
    .replace(/^\s*\n/, '')
    .trimEnd();
  if (plain === '') return [];
  return plain.split('\n').map((line) => {
    const shown = printable(line.replaceAll('\t', '    ').replace(/\r$/, ''));
    return shown.length > lineKept ? `${shown.slice(0, lineKept)}…` : shown;
  });
}
