import type { Span } from '../../../diagnostic/source.js';

/**
 * Span that an editor underlines. A finding about something missing has an empty span; of it the blanks and the word after it are
 * shown, or the character before it at the end of a line, so that a cursor can be put on it.
 */
export function shownSpan(text: string, { start, end }: Span): Span {
  if (end > start) return { start, end };
  const behind = /^[ \t]*(?:[\w.]+|[^\s\w])/.exec(text.slice(start, start + longestWord))?.[0] ?? '';
  if (behind !== '') return { start, end: start + behind.length };
  const before = /[^\s]$/.test(text.slice(0, start).slice(-1)) ? 1 : 0;
  return { start: start - before, end: start };
}

const longestWord = 200;
