/** A text as a string of the language (§2.2): what has a meaning between quotes is escaped, line breaks stay. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
