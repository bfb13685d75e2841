import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { ChildPolicy } from '../../run/run-options.js';
import { checkPolicy } from './check-policy.js';
import { howAllowed, mayRunCommands, type PolicedRun } from './policed-run.js';

/**
 * Policy for pipelines that the stages of a run want to run (§9.4, §9.5), if the server runs no commands:
 * their files and directories must be below the working directory of the run, wherever links lead, and the
 * rules for submitted pipelines apply.
 */
export function childPolicy(run: PolicedRun): ChildPolicy | undefined {
  if (mayRunCommands(run)) return undefined;
  return {
    refusePlace(file, workingDirectory) {
      const places = [file, workingDirectory];
      return places.every((place) => isInside(run.workingDirectory, place))
        ? undefined
        : `${outside}: ${howAllowed(run)}`;
    },
    refuseProgram(pipeline, { isSimulated }) {
      return checkPolicy(pipeline, { ...run, simulate: isSimulated })[0]?.message;
    },
  };
}

/** True if a file or directory is, or would be, below a directory, wherever links lead. */
export function isInside(directory: string, place: string): boolean {
  return isWithin(realPath(directory), realPath(place));
}

const outside =
  'its file or its working directory is outside the working directory of the run, which submitted pipelines cannot leave';

/** Real path of the existing part, with the missing rest appended. A dangling link counts as outside. */
function realPath(absolute: string): string | undefined {
  try {
    return realpathSync(absolute);
  } catch (error) {
    const parent = path.dirname(absolute);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === absolute) return undefined;
    const real = isLink(absolute) ? undefined : realPath(parent);
    return real && path.join(real, path.basename(absolute));
  }
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isWithin(root: string | undefined, place: string | undefined): boolean {
  if (root === undefined || place === undefined) return false;
  const relative = path.relative(root, place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
