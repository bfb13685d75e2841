/** Value that must not be written anywhere. */
export interface Secret {
  /** Name in the placeholder: the variable that holds the secret, or the kind of key. */
  readonly name: string;
  readonly value: string;
}

/** Minimum length: a shorter value occurs too often by chance, so it is not searched. */
export const shortestSecret = 8;

/** Text that replaces a secret (DESIGN §4). */
export function placeholder(name: string): string {
  return `[redacted:${name}]`;
}
