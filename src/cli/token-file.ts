import path from 'node:path';
import { userFile } from '../run-directory/user-file.js';
import type { Variables } from '../secrets/find-secrets.js';
import { UsageError } from '../setup/usage-error.js';

/**
 * Token file of a server, as a call names it, or the usual one: next to the file of keys, out of the way of whoever puts the
 * working directory under version control.
 * @throws UsageError
 */
export function tokenFileOf(named: string | undefined, cwd: string, variables: Variables): string {
  return path.resolve(cwd, named ?? usualTokenFile(variables));
}

function usualTokenFile(variables: Variables): string {
  const file = userFile('server-token', variables);
  if (file !== undefined) return file;
  throw new UsageError(
    'HOME is not set, so there is no default place for the token: name one with --token-file FILE',
  );
}
