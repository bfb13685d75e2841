import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { describeIssues } from '../../handlers/describe-issues.js';
import {
  isRealDirectory,
  makeDirectoryBelow,
  writeFileAtomically,
} from '../../run-directory/durable-file.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { sealed, unsealed } from '../../run-directory/hashed-line.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';

/**
 * Conversation that the stages of a thread share (§5.4), stored as `sessions/<id>.json` in the run
 * directory.
 */
export interface Conversation {
  readonly turns: readonly Turn[];
}

/** Messages of one stage. */
export interface Turn {
  /** Node and visit: a stage that runs again, such as after a crash, first removes its own turn. */
  readonly stage: string;
  readonly messages: readonly ModelMessage[];
  /** Set if a summary of all turns before it is among them, so that those are kept for readers only (SEMANTICS 125). */
  readonly replaces_earlier?: true | undefined;
}

export type SessionReading =
  | { readonly kind: 'conversation'; readonly conversation: Conversation }
  | { readonly kind: 'unusable'; readonly problem: string };

/** Name of the session of a thread: the same in every process. */
export function sessionId(thread: string): string {
  return createHash('sha256').update(thread).digest('hex').slice(0, 16);
}

/** Reads a conversation; a missing or damaged one is reported, not thrown. */
export function readConversation(runDirectory: string, id: string): SessionReading {
  if (!/^[0-9a-f]{16}$/.test(id)) return unusable(`"${id}" is not a session of this backend`);
  const name = `${sessions}/${id}.json`;
  let value: unknown;
  try {
    isRealDirectory(path.join(runDirectory, sessions));
    const text = unsealed(nodeFileSystem.readFile(fileOf(runDirectory, id)).toString('utf8').trimEnd());
    if (text === undefined)
      return unusable(`${name}: it was changed after it was written: its hash does not fit`);
    value = JSON.parse(text);
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'it is not JSON' : describeSystemError(error);
    return unusable(`${name}: ${problem}`);
  }
  const read = sessionFile.safeParse(value);
  if (!read.success) return unusable(`${name}: ${describeIssues(read.error, value)}`);
  return { kind: 'conversation', conversation: { turns: read.data.turns as readonly Turn[] } };
}

/** Writes a conversation atomically; a directory in its place is kept, with a `~` after its name. */
export function writeConversation(
  runDirectory: string,
  id: string,
  { turns }: Conversation,
  redactor: Redactor = noRedactor,
): void {
  makeDirectoryBelow(runDirectory, sessions);
  const file = fileOf(runDirectory, id);
  if (nodeFileSystem.stat(file)?.isDirectory() === true) nodeFileSystem.rename(file, `${file}~`);
  writeFileAtomically(file, `${sealed(redactor.jsonText(JSON.stringify({ version, turns })))}\n`);
}

const version = 1;

const { sessions } = runFiles;

/** Message of a conversation; the library checks more than role and content. */
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});
const sessionFile = z.object({
  version: z.literal(version),
  turns: z.array(
    z.object({
      stage: z.string(),
      messages: z.array(message),
      replaces_earlier: z.literal(true).optional(),
    }),
  ),
});

function fileOf(runDirectory: string, id: string): string {
  return path.join(runDirectory, sessions, `${id}.json`);
}

function unusable(problem: string): SessionReading {
  return { kind: 'unusable', problem };
}
