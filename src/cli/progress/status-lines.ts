import { printable } from '../../diagnostic/printable.js';
import { formatDuration } from '../../view/format-duration.js';

/** Maximum of a list's entries in a status. */
export const mostLines = 12;

/** A line that says how many of so many are not shown. */
export function more(total: number): readonly string[] {
  return total > mostLines ? [`  … and ${total - mostLines} more`] : [];
}

/**
 * Duration since a time.
 * @param now milliseconds since 1970
 */
export function elapsed(time: string, now: number): string {
  return formatDuration(Math.max(0, now - Date.parse(time)));
}

/** The first line of a text, as much of it as a person wants to see in a list. */
export function oneLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return printable(line.length > 160 ? `${line.slice(0, 160)}…` : line);
}
