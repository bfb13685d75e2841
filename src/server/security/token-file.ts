import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { makePrivateFile, readPrivateFile } from './private-file.js';
import { isToken, newToken } from './server-token.js';

/**
 * The token in this file, which is made where there is none (§9.5): only its owner may read it, so that who can read it could
 * do everything that the server does anyway.
 * @throws RunError `usage` for a file that others can read, or that belongs to another user; `unusable_directory` where there can be none
 */
export function openTokenFile(file: string): string {
  try {
    return readToken(file) ?? makeToken(file);
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError('unusable_directory', `the token file ${file}: ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}

/** @returns undefined if there is no such file */
function readToken(file: string): string | undefined {
  const otherwise = 'delete it, and a new one is made, or name another one with --token-file';
  const open = `if nobody has read it: chmod 600 ${file}; else delete it, and a new one is made`;
  const found = readPrivateFile(file, 'the token file', { otherwise, open });
  if (found === undefined) return undefined;
  const token = found.text.trim();
  if (isToken(token)) return token;
  throw new RunError('usage', `the token file ${file} holds no token; ${otherwise}`);
}

/** Of two servers that make one at the same time, both take the first. */
function makeToken(file: string): string {
  const token = newToken();
  if (makePrivateFile(file, `${token}\n`)) return token;
  return readToken(file) ?? makeToken(file);
}
