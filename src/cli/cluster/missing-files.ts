import { contentMissing, type MissingFile } from '../../cluster/files/write-files.js';
import type { RunHistory } from '../../cluster/run-history.js';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';

type LookedAt = Pick<RunHistory, 'isNewFork' | 'submission'>;

/** True if the database does not have the content of a file, which may be elsewhere. */
function mayBeElsewhere({ reason }: MissingFile): boolean {
  return reason === contentMissing;
}

/** Advice for whoever looked for files in the database alone; undefined if there is none. */
export function adviceOnMissing(missing: readonly MissingFile[], run: LookedAt): string | undefined {
  if (!missing.some(mayBeElsewhere)) return undefined;
  if (run.isNewFork) return 'the files from before the fork are there as soon as a worker takes it';
  return `if its workers were started with --files DIR, name that directory: attractor pull ${printable(run.submission.runId)} --files DIR`;
}

/** Remark of a command that shows the files of a run, of which some cannot be had. */
export function remarkOnMissing(missing: readonly MissingFile[], run: LookedAt): string | undefined {
  const [first, ...others] = missing.filter(mayBeElsewhere);
  if (first === undefined) return undefined;
  const which = `${others.length === 0 ? '' : 'the first '}${printable(first.path)}`;
  return `the database does not have ${counted(others.length + 1, 'file')} of the run, ${which}; ${adviceOnMissing(missing, run)}`;
}
