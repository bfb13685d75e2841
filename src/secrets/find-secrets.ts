import { isPublicValue, looksRandom } from './public-values.js';
import { placeholder, type Secret, shortestSecret } from './secret.js';
import { isKeyName, isSecretName } from './secret-names.js';

/** Variables of an environment by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Secrets among the variables of an environment (DESIGN §4): those with names of secrets, those that the
 * configuration names, and passwords in addresses.
 * @param named variables that are secret whatever their name
 */
export function findSecrets(variables: Variables, named: Iterable<string> = []): readonly Secret[] {
  const expressly = new Set(named);
  return Object.entries(variables).flatMap(([name, written]): readonly Secret[] => {
    const value = written?.trim() ?? '';
    if (value.length < shortestSecret) return [];
    if (expressly.has(name)) return [{ name, value }];
    const isSecret = (isSecretName(name) && !isPublicValue(value)) || (isKeyName(name) && looksRandom(value));
    // Hiding a part of its own placeholder would change nothing.
    if (isSecret && !placeholder(name).includes(value)) return [{ name, value }];
    return passwordsIn(value).map((password) => ({ name, value: password }));
  });
}

/** Password of an address such as `postgres://user:password@host/`, as it is written and decoded. */
function passwordsIn(value: string): readonly string[] {
  if (value.length > 4096) return [];
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (found === undefined) return [];
  const both = new Set([found, decoded(found)]);
  return [...both].filter((password) => password.length >= shortestSecret && !isPublicValue(password));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
