import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../../handlers/make-directories.js';
import { ToolProblem } from './agent-tool.js';
import { refuse, withFile } from './text-file.js';

/**
 * Writes a file by its real path, and makes the directories above it. The file has the new text whole, or
 * the old one: a stage may be stopped, and a disk be full, at any time. Its permissions stay.
 * @throws ToolProblem if a model may not write it
 */
export async function writeText(real: string, requested: string, text: string): Promise<void> {
  try {
    makeDirectories(path.dirname(real));
  } catch (error) {
    refuse(requested, error);
  }
  const known = await writableFile(real, requested);
  const isReplaced = !isShared(known) && (await replace(real, requested, text, known?.mode));
  if (!isReplaced) await overwrite(real, requested, text);
}

/** Status of the file; undefined if it does not exist. */
async function writableFile(real: string, requested: string): Promise<Stats | undefined> {
  const isThere = await lstat(real).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  return withFile(real, requested, constants.O_WRONLY | constants.O_NONBLOCK, async (file) => {
    const stats = await file.stat();
    if (!stats.isFile()) throw new ToolProblem(`"${requested}" is not a regular file`);
    return stats;
  });
}

/** True if replacing the file would leave its other hard links with the old text, or change its owner. */
function isShared(known: Stats | undefined): boolean {
  return known !== undefined && (known.nlink > 1 || known.uid !== process.getuid?.());
}

/** @returns false if the directory takes no new files */
async function replace(
  real: string,
  requested: string,
  text: string,
  mode: number | undefined,
): Promise<boolean> {
  const beside = path.join(path.dirname(real), `.attractor-${randomBytes(6).toString('hex')}`);
  const file = await open(beside, 'wx').catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    if (mode !== undefined && (code === 'EACCES' || code === 'EPERM')) return undefined;
    return refuse(requested, error);
  });
  if (file === undefined) return false;
  try {
    try {
      await file.writeFile(text);
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, real).catch((error: unknown) => refuse(requested, error));
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return true;
}

async function overwrite(real: string, requested: string, text: string): Promise<void> {
  await withFile(real, requested, constants.O_WRONLY | constants.O_NONBLOCK, async (file) => {
    await file.truncate(0);
    await file.writeFile(text);
  });
}
