import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';
import { stripStyles } from '../../diagnostic/terminal-text.js';
import { formatBytes } from '../../view/format-values.js';
import { readPart } from '../progress/output-files.js';

/** Files that say what a stage did, in this order. */
const outputs = ['response.md', 'stdout.log', 'stderr.log'];

/** Bytes at the end of a file that are shown, usually and with `--verbose`. */
const usual = 32 * 1024;
const verbose = 4 * 1024 * 1024;

/** Lines for the group of a stage that has ended: what it has said and printed; of very much the end. */
export function stageOutput(
  directory: string,
  displayPath: (file: string) => string,
  isVerbose: boolean,
): readonly string[] {
  const found = outputs.flatMap((name) => {
    const file = path.join(directory, name);
    const part = readPart(file, -(isVerbose ? verbose : usual), isVerbose ? verbose : usual);
    if (part === undefined || part.data.length === 0) return [];
    const lines = stripStyles(part.data.toString('utf8')).trimEnd().split('\n');
    const isCut = part.size > part.data.length;
    // The first line may have lost its beginning.
    const whole = isCut ? lines.slice(1) : lines;
    const shown = whole.map((line) => printable(line.replaceAll('\t', '    ').replace(/\r$/, '')));
    const size = `${printable(displayPath(file))} (${formatBytes(part.size)})`;
    return [{ name, lines: isCut ? [`… the end of ${size}:`, ...shown] : shown }];
  });
  return found.flatMap(({ name, lines }) => (found.length > 1 ? [`==> ${name} <==`, ...lines] : lines));
}
