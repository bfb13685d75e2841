import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isPromptValueFile } from '../../prompt-value-file.js';
import { type ToolContext, ToolProblem } from './agent-tool.js';

type Confinement = Pick<ToolContext, 'root' | 'runDirectory'>;

/**
 * Real path of a file that a model names, which need not exist. It must lie in the working directory,
 * wherever links lead.
 * @throws ToolProblem for a path that leads out
 */
export async function confinedPath(context: Confinement, requested: string): Promise<string> {
  return inside(context, await namedPath(context, requested), requested);
}

/** Like `confinedPath`, for a file that is only read: values that were too long for a prompt may lie elsewhere. */
export async function readablePath(context: Confinement, requested: string): Promise<string> {
  const real = await namedPath(context, requested);
  return isPromptValueFile(real, context.runDirectory) ? real : inside(context, real, requested);
}

async function namedPath({ root }: Confinement, requested: string): Promise<string> {
  if (requested.includes('\0')) throw new ToolProblem('a path cannot contain a NUL character');
  return realPath(path.resolve(root, requested), requested);
}

function inside({ root }: Confinement, real: string, requested: string): string {
  if (isWithin(root, real)) return real;
  throw new ToolProblem(
    `"${requested}" is outside the working directory, which tools do not leave; use a path below it, such as "src/main.ts"`,
  );
}

/** Like `confinedPath`, for a file that will be changed: files of the run are refused. */
export async function confinedTarget(context: Confinement, requested: string): Promise<string> {
  const real = await confinedPath(context, requested);
  // If the working directory is inside of the run directory, it is not a record.
  if (!isWithin(context.runDirectory, real) || isWithin(context.runDirectory, context.root)) return real;
  throw new ToolProblem(`"${requested}" belongs to the records of this run, which tools do not change`);
}

/** Path for the model: relative to the working directory, with slashes. */
export function shownPath({ root }: Confinement, real: string): string {
  return path.relative(root, real).split(path.sep).join('/') || '.';
}

function isWithin(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return (
    relative === '' ||
    !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
  );
}

/** Real path of the existing part, with the missing rest appended. */
async function realPath(absolute: string, requested: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP') throw new ToolProblem(`"${requested}" is a symbolic link that leads to itself`);
    if (code === 'ENOTDIR')
      throw new ToolProblem(`"${requested}": a part of this path is a file, not a directory`);
    if (code !== 'ENOENT') throw error;
  }
  // A link without a target would be followed when the file is written.
  if (await isLink(absolute)) {
    throw new ToolProblem(`"${requested}" is, or is reached through, a symbolic link that leads nowhere`);
  }
  const parent = path.dirname(absolute);
  return path.join(await realPath(parent, requested), path.basename(absolute));
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}
