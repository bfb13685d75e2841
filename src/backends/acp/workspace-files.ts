import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../handlers/make-directories.js';
import type { PermissionPolicy } from './acp-agent.js';
import { countIn, textIn } from './fields.js';
import { insideDirectory, promptValueIn } from './inside-directory.js';

/** Makes an error of JSON-RPC, which the library passes on. */
export type Refuse = (code: number, message: string) => Error;

const invalidParams = -32602;
const notFound = -32002;

/**
 * `fs/read_text_file` of the working directory, and of nothing else but values that were too long for a prompt. We do not offer it, because one agent
 * then cannot create files; another one asks all the same.
 */
export async function readWorkspaceFile(
  params: unknown,
  { directory, runDirectory }: { readonly directory: string; readonly runDirectory: string },
  refuse: Refuse,
): Promise<{ readonly content: string }> {
  const asked = textIn(params, 'path');
  const value = asked === undefined ? undefined : promptValueIn(asked, runDirectory);
  const file = value ?? fileIn(params, directory, refuse);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw refuse(notFound, `Resource not found: ${file} (${messageOf(error)})`);
  }
  const line = countIn(params, 'line');
  const limit = countIn(params, 'limit');
  if (line === undefined && limit === undefined) return { content: text };
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split('\n').slice(from, limit === undefined ? undefined : from + limit);
  return { content: lines.join('\n') };
}

/** `fs/write_text_file`, into the working directory only; refused if the policy denies changes. */
export async function writeWorkspaceFile(
  params: unknown,
  directory: string,
  refuse: Refuse,
  permissions: PermissionPolicy,
): Promise<Record<string, never>> {
  if (permissions === 'deny') throw refuse(invalidParams, 'this stage may not change files');
  const file = fileIn(params, directory, refuse);
  const content = textIn(params, 'content');
  if (content === undefined) throw refuse(invalidParams, 'expected a string as "content"');
  try {
    makeDirectories(path.dirname(file));
    await writeFile(file, content);
  } catch (error) {
    throw refuse(invalidParams, `cannot write ${file}: ${messageOf(error)}`);
  }
  return {};
}

function fileIn(params: unknown, directory: string, refuse: Refuse): string {
  const asked = textIn(params, 'path');
  if (asked === undefined) throw refuse(invalidParams, 'expected a "path"');
  const file = insideDirectory(asked, directory);
  if (file === undefined) {
    throw refuse(invalidParams, `${asked} is outside the working directory ${directory}`);
  }
  return file;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
