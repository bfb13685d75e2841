import { Chalk } from 'chalk';
import type { DiagnosticCounts } from './diagnostic.js';

/** The last line of a report: `✖ 2 errors, 1 warning in 3 files`, or `✔ no problems`. */
export function renderSummary(counts: DiagnosticCounts, fileCount?: number, color = false): string {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const parts = [
    counted(counts.errors, 'error'),
    counted(counts.warnings, 'warning'),
    counted(counts.infos, 'note'),
  ].filter((part) => part !== '');
  const where = fileCount === undefined ? '' : ` in ${counted(fileCount, 'file') || 'no files'}`;
  const text = `${parts.join(', ') || 'no problems'}${where}`;
  if (counts.errors > 0) return chalk.red(`✖ ${text}`);
  if (counts.warnings > 0) return chalk.yellow(`⚠ ${text}`);
  return chalk.green(`✔ ${text}`);
}

function counted(count: number, noun: string): string {
  if (count === 0) return '';
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
