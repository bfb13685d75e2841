import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** File of a run that lists the processes of its tools, one JSON object a line; it stands next to the directories of the stages. */
export const toolRegister = 'tools.jsonl';

/** A tool that was started. With its start and the marks of its stage, it is told from a later process of that number. */
export interface RegisteredTool {
  readonly pid: number;
  /** @see startOf */
  readonly began: number;
  readonly stage_dir: string;
}

const flags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds a tool. One that cannot be listed runs all the same: only a crash of all processes at once would need the list. */
export function registerTool(file: string, tool: RegisteredTool): void {
  try {
    const descriptor = openSync(file, flags, 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(tool)}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A disk that is full is told of by the journal.
  }
}
