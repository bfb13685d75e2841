import { contentMissing, type MissingFile } from '../../cluster/files/write-files.js';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';

/** True if workers with `--files` may have stored the content of a file outside of the database. */
function mayBeElsewhere({ reason }: MissingFile): boolean {
  return reason === contentMissing;
}

/** Advice for whoever looked for files in the database alone; undefined if it would not help. */
export function adviceOnMissing(missing: readonly MissingFile[], runId: string): string | undefined {
  if (!missing.some(mayBeElsewhere)) return undefined;
  return `if its workers were started with --files DIR, name that directory: attractor pull ${printable(runId)} --files DIR`;
}

/** Remark of a command that shows the files of a run, of which some cannot be had. */
export function remarkOnMissing(missing: readonly MissingFile[], runId: string): string | undefined {
  const [first, ...others] = missing.filter(mayBeElsewhere);
  if (first === undefined) return undefined;
  const which = `${others.length === 0 ? '' : 'the first '}${printable(first.path)}`;
  return `the database does not have ${counted(others.length + 1, 'file')} of the run, ${which}; ${adviceOnMissing(missing, runId)}`;
}
