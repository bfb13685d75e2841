import { Chalk } from 'chalk';
import { counted } from './counted.js';
import { countsText } from './counts-text.js';
import type { DiagnosticCounts } from './diagnostic.js';

/** The last line of a report: `✖ 2 errors, 1 warning in 3 files`, or `✔ no problems`. */
export function renderSummary(counts: DiagnosticCounts, fileCount?: number, color = false): string {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const files = fileCount === 0 ? 'no files' : counted(fileCount ?? 1, 'file');
  const where = fileCount === undefined ? '' : ` in ${files}`;
  const text = `${countsText(counts)}${where}`;
  if (counts.errors > 0) return chalk.red(`✖ ${text}`);
  if (counts.warnings > 0) return chalk.yellow(`⚠ ${text}`);
  return chalk.green(`✔ ${text}`);
}
