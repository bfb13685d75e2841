import { foundText } from '../../graph/values/found-text.js';
import { RunError } from '../../run-directory/run-error.js';
import { findSecrets } from '../../secrets/find-secrets.js';
import { makeRedactor, noRedactor, type Redactor } from '../../secrets/redactor.js';
import { type Secret, shortestSecret } from '../../secrets/secret.js';

/**
 * Secrets that a run keeps out of its files, its output and its requests to models: more values, besides
 * those in the environment of the process; a complete redactor; or none at all, with `false`.
 */
export type SecretsOption = false | readonly string[] | Redactor;

/**
 * Redactor of a run (DESIGN §4).
 * @param known secrets of its backend; a given redactor does not need them
 * @throws RunError `usage` for a value that is too short
 */
export function runRedactor(secrets: SecretsOption | undefined, known: readonly Secret[] = []): Redactor {
  if (secrets === false) return noRedactor;
  if (isRedactor(secrets)) return secrets;
  const given = secrets?.map((value: unknown) => {
    if (typeof value === 'string' && value.trim().length >= shortestSecret)
      return { name: 'secret', value: value.trim() };
    const what = typeof value === 'string' ? `one of ${value.length} characters` : foundText(value);
    throw new RunError(
      'usage',
      `the option "secrets" must be a list of texts of at least ${shortestSecret} characters, and has ${what}: shorter ones would be found everywhere`,
    );
  });
  return makeRedactor([...findSecrets(process.env), ...known, ...(given ?? [])]);
}

function isRedactor(secrets: SecretsOption | undefined): secrets is Redactor {
  return typeof secrets === 'object' && 'text' in secrets;
}
