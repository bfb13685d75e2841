/**
 * Quoted string with a line break after each `\n`, which does not change its meaning (§2.2). A `\n` after a
 * blank stays: the blank would stand at the end of a line, where editors remove it.
 */
export function breakLines(quoted: string): string {
  let broken = '';
  let copied = 0;
  let backslash = quoted.indexOf('\\');
  while (backslash !== -1) {
    const before = quoted[backslash - 1];
    if (quoted[backslash + 1] === 'n' && before !== ' ' && before !== '\t' && before !== '\r') {
      broken += `${quoted.slice(copied, backslash)}\n`;
      copied = backslash + 2;
    }
    backslash = quoted.indexOf('\\', backslash + 2);
  }
  return broken + quoted.slice(copied);
}

/** True if a line of a text, the first of which begins at `column`, is wider than `width`. */
export function isWide(text: string, column: number, width: number): boolean {
  let start = -column;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (end - start > width) return true;
    start = end + 1;
  }
  return text.length - start > width;
}
