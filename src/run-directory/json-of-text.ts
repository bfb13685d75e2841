/** A text as `JSON.stringify` writes it; to see that a short one needs no escape takes a third of the call. */
export function jsonOfText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** ASCII but for quotation marks, backslashes and control characters. */
const plain = /^[ !#-[\]-~]{0,80}$/;
