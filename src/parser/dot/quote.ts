/**
 * Text as a string of the language (§2.2): characters with a meaning between quotes are escaped, line
 * breaks stay.
 */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
