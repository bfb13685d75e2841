import { isUtf8 } from 'node:buffer';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { mayBeUndecodable } from '../../../run-directory/undecodable-names.js';
import { ToolProblem } from './agent-tool.js';

/** Maximum of bytes: a larger file is not text that a model edits. */
const longestFile = 10 * 1024 * 1024;

/** Bytes of a file that are read at once. */
const pieceSize = 64 * 1024;

/**
 * Reads the text of a file that will be written back, by its real path: anything but UTF-8 is refused, because it would
 * be lost.
 * @throws ToolProblem if a model could not read it
 */
export async function readExactText(real: string, requested: string): Promise<string> {
  const bytes = await readBytes(real, requested);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new ToolProblem(
    `"${requested}" is not encoded as UTF-8, and would be damaged: change it by run_command, or write all of it`,
  );
}

async function readBytes(real: string, requested: string): Promise<Buffer> {
  const bytes = await withFile(real, requested, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats = await file.stat();
    checkRegular(stats, requested);
    if (stats.size > longestFile) {
      throw new ToolProblem(
        `"${requested}" has ${stats.size} bytes, more than can be read at once: use grep, or run_command`,
      );
    }
    return file.readFile();
  });
  if (isBinary(bytes)) throw notText(requested);
  return bytes;
}

function checkRegular(stats: Stats, requested: string): void {
  if (stats.isDirectory()) throw new ToolProblem(`"${requested}" is a directory: use list_files`);
  if (!stats.isFile()) throw new ToolProblem(`"${requested}" is not a regular file`);
}

function notText(requested: string): ToolProblem {
  return new ToolProblem(`"${requested}" is not text: it has NUL bytes`);
}

/**
 * Reads the text of a file of any size, in pieces.
 * @throws ToolProblem if a model could not read it
 */
export async function* readTextInPieces(real: string, requested: string): AsyncGenerator<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(real, flags).catch((error: unknown) => refuse(requested, error));
  try {
    checkRegular(await file.stat(), requested);
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.alloc(pieceSize);
    for (let isFirst = true; ; isFirst = false) {
      const { bytesRead } = await file.read(buffer, 0, pieceSize, null);
      if (bytesRead === 0) break;
      const bytes = buffer.subarray(0, bytesRead);
      if (isFirst && isBinary(bytes)) throw notText(requested);
      yield decoder.write(bytes);
    }
    yield decoder.end();
  } finally {
    await file.close();
  }
}

/** True for bytes that are not text, by the usual test for NUL bytes near the beginning. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** Opens a file by its real path; a link that has replaced it since is not followed. */
export async function withFile<Result>(
  real: string,
  requested: string,
  flags: number,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(real, flags | constants.O_NOFOLLOW, 0o666).catch((error: unknown) =>
    refuse(requested, error),
  );
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * Rethrows a system error in words for a model.
 * @throws ToolProblem, or the error itself if a model could not solve it
 */
export function refuse(requested: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  switch (code) {
    case 'ENOENT':
      throw new ToolProblem(
        mayBeUndecodable(requested)
          ? `"${requested}" does not exist, or its name is not UTF-8, and only run_command can reach it`
          : `"${requested}" does not exist`,
      );
    case 'EISDIR':
      throw new ToolProblem(`"${requested}" is a directory`);
    case 'ENOTDIR':
    case 'EEXIST':
      throw new ToolProblem(`"${requested}": a part of this path is a file, not a directory`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      throw new ToolProblem(`"${requested}": permission denied`);
    case 'ELOOP':
      throw new ToolProblem(`"${requested}" has become a symbolic link meanwhile`);
    default:
      throw error;
  }
}
