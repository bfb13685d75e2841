import { readdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { makePrivateFile, type PrivateFile, readPrivateFile } from './private-file.js';
import { fingerprintOf, newToken } from './server-token.js';

/** Token for one person or program, as its file has it: not the token itself, which nobody can make from it. */
export interface NamedToken {
  readonly name: string;
  readonly fingerprint: string;
  /** As ISO 8601. */
  readonly createdAt: string;
  /** Undefined for a token that no server has seen; exact to a minute. */
  readonly lastUsedAt: string | undefined;
}

const fileSchema = z.object({ fingerprint: z.string().regex(/^[\w-]{43}$/), created_at: z.iso.datetime() });

/** True for a name that a token, and so its file, may have. */
export function isTokenName(text: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(text);
}

/** Directory of the named tokens of a server, next to the file of its own token. */
export function namedTokensDirectory(tokenFile: string): string {
  return `${tokenFile}.d`;
}

/**
 * Makes a token and the file that lets it in. Its time of change is the last use, at first the creation.
 * @returns undefined where there is one of this name
 */
export function addNamedToken(directory: string, name: string, now: Date): string | undefined {
  const token = newToken();
  const file = path.join(directory, name);
  const content = { fingerprint: fingerprintOf(token), created_at: now.toISOString() };
  return inWords(directory, () => {
    if (!makePrivateFile(file, `${JSON.stringify(content)}\n`)) return undefined;
    utimesSync(file, now, now);
    return token;
  });
}

/** Removes a token; every server refuses it, and the cookies made from it, from now on. @returns whether there was one */
export function revokeNamedToken(directory: string, name: string): boolean {
  return inWords(directory, () => {
    if (!tokenNames(directory).includes(name)) return false;
    rmSync(path.join(directory, name));
    return true;
  });
}

/** Tokens in the order of their names. @throws RunError `usage` for a file that cannot be used */
export function listNamedTokens(directory: string): readonly NamedToken[] {
  return inWords(directory, () =>
    tokenNames(directory).flatMap((name) => readNamedToken(directory, name) ?? []),
  );
}

/** Names of the files that may be tokens; none where there is no directory. */
export function tokenNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter(isTokenName).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @returns undefined where there is none of this name
 * @throws RunError `usage` for a file that cannot be used
 */
export function readNamedToken(directory: string, name: string): NamedToken | undefined {
  const file = path.join(directory, name);
  const otherwise = `remove it: attractor token revoke ${name}`;
  const found = readPrivateFile(file, 'the token', {
    otherwise,
    open: `if nobody has changed it: chmod 600 ${file}; else ${otherwise}`,
  });
  if (found === undefined) return undefined;
  const content = contentOf(found);
  if (content === undefined) throw new RunError('usage', `the token ${file} is damaged; ${otherwise}`);
  const { fingerprint, created_at: createdAt } = content;
  const used = Math.round(found.stats.mtimeMs);
  const lastUsedAt = used > Date.parse(createdAt) ? new Date(used).toISOString() : undefined;
  return { name, fingerprint, createdAt, lastUsedAt };
}

function contentOf({ text }: PrivateFile) {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function inWords<Result>(directory: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError('unusable_directory', `the tokens in ${directory}: ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}
