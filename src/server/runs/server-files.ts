import path from 'node:path';
import { z } from 'zod';
import { makeDirectory, writeFileAtomically } from '../../run-directory/durable-file.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { resumptionSchema, submissionSchema } from '../api/run.js';

// What a server keeps in a run directory next to the files of the run itself. Names with a dot or a hyphen are not ids of nodes.

const queuedFile = 'queued.json';
const serverFile = 'server.json';

const waitingShape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    /** Orders the queue over restarts. */
    order: z.number(),
    submitted_at: z.string(),
    name: z.string(),
    goal: z.string(),
    /** The text of the pipeline is in its own file. */
    submission: submissionSchema.omit({ dot: true }),
    /** Reason why it could not be started at its turn. */
    refused: z.string().optional(),
  }),
  z.object({
    kind: z.literal('resume'),
    order: z.number(),
    resumption: resumptionSchema,
    /** Reason why it could not continue at its turn. */
    refused: z.string().optional(),
  }),
]);

/** Entry of the queue: a run that has not begun, or one that is to continue (§9.5). */
export type WaitingRecord = Readonly<z.infer<typeof waitingShape>>;
export type WaitingStart = Extract<WaitingRecord, { kind: 'start' }>;

const markShape = z.object({
  /**
   * - `executing`: a server executes it, or has died while it did
   * - `stopped`: a server has paused it because it was stopped itself
   * - `released`: it has ended, or was paused for another reason
   */
  state: z.enum(['executing', 'stopped', 'released']),
  /** Times in a row that a server ended while it executed the run, before the time that this tells of. */
  broke_off: z.number().int().optional(),
});

/** Mark in a run directory by the server that has executed the run. */
export type ServerMark = z.infer<typeof markShape>['state'];

/** Working directory of a submitted pipeline that may not run commands. */
export function workPlace(directory: string): string {
  return path.join(directory, 'work-place');
}

/**
 * Writes an entry of the queue durably.
 * @param dot text of a run that has not begun
 */
export function writeWaiting(directory: string, record: WaitingRecord, dot?: string): void {
  makeDirectory(path.resolve(directory));
  if (dot !== undefined) writeFileAtomically(path.join(directory, runFiles.pipeline), dot);
  writeFileAtomically(path.join(directory, queuedFile), `${JSON.stringify(record, null, 2)}\n`);
}

/** @returns undefined if nothing waits, or the entry is unreadable */
export function readWaiting(directory: string): WaitingRecord | undefined {
  try {
    return readShape(path.join(directory, queuedFile), waitingShape);
  } catch {
    return undefined;
  }
}

/** Reason why a run that has begun could not continue at its turn. */
export function refusedResumption(directory: string): string | undefined {
  const waiting = readWaiting(directory);
  return waiting?.kind === 'resume' ? waiting.refused : undefined;
}

export function isWaiting(directory: string): boolean {
  return nodeFileSystem.exists(path.join(directory, queuedFile));
}

export function removeWaiting(directory: string): void {
  nodeFileSystem.rm(path.join(directory, queuedFile));
}

/** @param brokeOff times in a row that a server ended while it executed the run */
export function writeMark(directory: string, state: ServerMark, brokeOff = 0): void {
  const file = path.join(directory, serverFile);
  const text = `${JSON.stringify({ state, broke_off: brokeOff || undefined })}\n`;
  makeDirectory(path.resolve(directory));
  if (state !== 'released') return void writeFileAtomically(file, text);
  // If it is lost, the journal has the same information, so it need not be durable.
  nodeFileSystem.writeFile(file, text);
}

/** @returns undefined for a run that no server has executed */
export function readMark(directory: string): ServerMark | undefined {
  return readShape(path.join(directory, serverFile), markShape)?.state;
}

/** Times in a row that a server has ended while it executed the run; to be asked before another one executes it. */
export function timesBrokenOff(directory: string): number {
  const mark = readShape(path.join(directory, serverFile), markShape);
  return mark?.state === 'executing' ? (mark.broke_off ?? 0) + 1 : 0;
}

function readShape<Shape>(file: string, shape: z.ZodType<Shape>): Shape | undefined {
  let text: string;
  try {
    text = nodeFileSystem.readFile(file).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new RunError('storage', `${file} cannot be read: ${describeSystemError(error)}`, { cause: error });
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
