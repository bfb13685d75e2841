import { printable } from '../../diagnostic/printable.js';
import { shellWord } from '../run-name.js';

/**
 * Command that merges what a run with git has done.
 * @param remote where its branch is pushed, by name or URL: perhaps the only place where it is, if another machine had the run
 */
export function mergeCommand(branch: string, remote: string | null | undefined): string {
  if (remote === undefined || remote === null || remote === '') return `git merge ${printable(branch)}`;
  return `git fetch ${printable(shellWord(remote))} ${printable(branch)} && git merge FETCH_HEAD`;
}
