import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ProcessTree } from '../handlers/tools/process-tree.js';
import type { RegisteredTool } from '../handlers/tools/tool-register.js';
import type { RunState } from '../machine/state.js';
import { discard } from '../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { describeSystemError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { restartDirectory } from '../run-directory/stage-path.js';

/** Run that is resumed or cancelled. */
export interface LeftRun {
  readonly directory: string;
  readonly state: Pick<RunState, 'runId' | 'restarts'>;
  readonly fileSystem: FileSystem;
  readonly onNotice: ((notice: string) => void) | undefined;
}

/**
 * Ends tools of a run that continue although every process that ran them is gone, so that no stage runs
 * next to its own earlier attempt (SEMANTICS 59a), and a cancelled run does nothing more. Call it while the lock of the run is held. It recognizes
 * them if the system shows when a process began (Linux).
 */
export async function endLeftTools({ directory, state, fileSystem, onNotice }: LeftRun): Promise<void> {
  const listed = toolRegisters(directory, state).flatMap((file) => readTools(file, fileSystem, onNotice));
  const left = listed.flatMap(({ pid, began, stage_dir }) => {
    const marks = { ATTRACTOR_RUN_ID: state.runId, ATTRACTOR_STAGE_DIR: stage_dir };
    const tree = new ProcessTree(pid, marks, began);
    return tree.isLed ? [{ pid, stage: path.basename(stage_dir), tree }] : [];
  });
  for (const { pid, stage, tree } of left) {
    onNotice?.(
      `the tool of "${stage}" was still running (process ${pid}), left over from a process that was killed; it was stopped`,
    );
    tree.signal('SIGTERM');
  }
  for (let look = 0; look < mostLooks && left.some(({ tree }) => tree.isLed); look += 1) await sleep(lookMs);
  await Promise.all(left.map(({ tree }) => tree.end()));
  forgetTools(directory, state, fileSystem);
}

/** Removes the lists of tools, once no tool of the run is under way. */
export function forgetTools(
  directory: string,
  state: Pick<RunState, 'restarts'>,
  fileSystem: FileSystem = nodeFileSystem,
): void {
  for (const file of toolRegisters(directory, state)) discard(file, fileSystem);
}

/** Lists of tools, one for the stages of each restart. */
function toolRegisters(directory: string, { restarts }: Pick<RunState, 'restarts'>): readonly string[] {
  return Array.from({ length: restarts + 1 }, (_, count) =>
    path.join(directory, restartDirectory({ restarts: count }), runFiles.tools),
  );
}

/** Maximum of checks, for as long as a tool has that is stopped otherwise. */
const mostLooks = 200;
const lookMs = 10;

/** Bytes; a line has some hundred, and a run some thousand tools. */
const longestRegister = 64 * 1024 * 1024;

const toolShape: z.ZodType<RegisteredTool> = z.object({
  pid: z.int().positive(),
  began: z.number(),
  stage_dir: z.string(),
});

/**
 * Complete entries of a list; a line that was cut off was that of the last tool, which began as its machine
 * stopped.
 */
function readTools(
  file: string,
  fileSystem: FileSystem,
  onNotice: LeftRun['onNotice'],
): readonly RegisteredTool[] {
  if (!fileSystem.exists(file)) return [];
  let text: string;
  try {
    text = fileSystem.readFile(file, longestRegister).toString('utf8');
  } catch (error) {
    onNotice?.(
      `tools that a process left behind when it was killed cannot be found: ${file} cannot be read: ${describeSystemError(error)}`,
    );
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const tool = toolShape.safeParse(parseJson(line));
    return tool.success ? [tool.data] : [];
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
