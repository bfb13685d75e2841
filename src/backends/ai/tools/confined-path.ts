import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { type ToolContext, ToolProblem } from './agent-tool.js';

type Place = Pick<ToolContext, 'root' | 'runDirectory'>;

/**
 * The real path of a file that a model names, which need not exist. It lies in the working directory, wherever links lead.
 * @throws ToolProblem for a path that leads out
 */
export async function confinedPath(place: Place, asked: string): Promise<string> {
  if (asked.includes('\0')) throw new ToolProblem('a path cannot contain a NUL character');
  const real = await realPath(path.resolve(place.root, asked), asked);
  if (isWithin(place.root, real)) return real;
  throw new ToolProblem(
    `"${asked}" is outside the working directory, which tools do not leave; use a path below it, such as "src/main.ts"`,
  );
}

/** The same for a file that is to be changed: those of the run are the engine's. */
export async function confinedTarget(place: Place, asked: string): Promise<string> {
  const real = await confinedPath(place, asked);
  // A run may have been given a place of its own inside its directory, which is not a record then.
  if (!isWithin(place.runDirectory, real) || isWithin(place.runDirectory, place.root)) return real;
  throw new ToolProblem(`"${asked}" belongs to the records of this run, which tools do not change`);
}

/** As the model sees it: relative to the working directory, with slashes. */
export function shownPath({ root }: Place, real: string): string {
  return path.relative(root, real).split(path.sep).join('/') || '.';
}

function isWithin(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return (
    relative === '' ||
    !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
  );
}

/** Of what does not exist, the real path of what does, and the rest after it. */
async function realPath(absolute: string, asked: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP') throw new ToolProblem(`"${asked}" is a symbolic link that leads to itself`);
    if (code === 'ENOTDIR')
      throw new ToolProblem(`"${asked}": a part of this path is a file, not a directory`);
    if (code !== 'ENOENT') throw error;
  }
  // A link whose target is missing would be followed when the file is written.
  if (await isLink(absolute)) {
    throw new ToolProblem(`"${asked}" is, or is reached through, a symbolic link that leads nowhere`);
  }
  const parent = path.dirname(absolute);
  return path.join(await realPath(parent, asked), path.basename(absolute));
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}
