/**
 * A quoted string with line ends where it says `\n`, which means the same (§2.2). A blank before the `\n` would stand at
 * the end of a line, where editors remove it: that one stays.
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

/** Whether a line of a text, the first of which begins at a column, goes beyond the width. */
export function isWide(text: string, column: number, width: number): boolean {
  let start = -column;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (end - start > width) return true;
    start = end + 1;
  }
  return text.length - start > width;
}
