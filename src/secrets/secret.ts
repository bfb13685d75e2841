/** A value that is written nowhere. */
export interface Secret {
  /** What is written in its place names it: the variable that holds it, or what kind of key it is. */
  readonly name: string;
  readonly value: string;
}

/** What is found everywhere is not a secret: a shorter value is not looked for. */
export const shortestSecret = 8;

/** What is written in the place of a secret (DESIGN §4). */
export function placeholder(name: string): string {
  return `[redacted:${name}]`;
}
