import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import { RunError } from '../../run-directory/run-error.js';
import type { FilesReach } from '../placement.js';

/**
 * Refuses to spread a run whose stages need the worker that drives it.
 * @throws RunError `usage`
 */
export function refuseSpread(
  { spread, record }: Pick<RecordedSettings, 'spread' | 'record'>,
  { usesGit, reach }: { readonly usesGit: boolean; readonly reach: FilesReach },
): void {
  if (spread !== true) return;
  if (usesGit)
    throw new RunError(
      'usage',
      'a run with git=true cannot be spread: its branches work in work trees on one worker. Leave out --spread, or use --no-git and a directory that all workers share',
    );
  if (reach === 'sticky')
    throw new RunError(
      'usage',
      'the pipeline says placement=sticky, so its stages stay on one machine. Leave out --spread, or say placement=shared if all workers have the same directory',
    );
  if (record === true)
    throw new RunError(
      'usage',
      'a run that is recorded cannot be spread: its calls are noted on one worker. Leave out --spread or --record',
    );
}
