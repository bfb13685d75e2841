import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

/**
 * File of a run that lists the processes of its tools, one JSON object a line; it is next to the
 * directories of the stages.
 */
export const toolRegister = 'tools.jsonl';

/**
 * Started tool. Its start and the marks of its stage distinguish it from a later process with the same
 * number.
 */
export interface RegisteredTool {
  readonly pid: number;
  /** @see startOf */
  readonly began: number;
  readonly stage_dir: string;
}

const flags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Adds a tool. A failure is ignored: only a crash of all processes at once would need the list. Another tool
 * may have put a link or a pipe in its place, which is not written to.
 */
export function registerTool(file: string, tool: RegisteredTool): void {
  try {
    const descriptor = openSync(file, flags, 0o600);
    try {
      const stats = fstatSync(descriptor);
      if (stats.isFile() && stats.nlink === 1) writeSync(descriptor, `${JSON.stringify(tool)}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A full disk is reported by the journal.
  }
}
