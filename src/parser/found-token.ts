import type { IToken } from 'chevrotain';

const longest = 40;

/** Unexpected token as a message shows it, cut short; undefined is the end of the text, which `what` names. */
export function foundToken(token: IToken | undefined, what: string): string {
  if (token === undefined) return `the end of the ${what}`;
  const { image } = token;
  return `"${image.length > longest ? `${image.slice(0, longest)}…` : image}"`;
}
