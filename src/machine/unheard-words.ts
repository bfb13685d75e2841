import type { Transition } from './transition.js';

/** Warns of words that came too late for their stage. Call it before the stage settles. */
export function warnOfUnheard(transition: Transition, cursorId: string): void {
  const { nodeId, words } = transition.cursor(cursorId);
  if (words.length === 0) return;
  const lost = words.length === 1 ? 'the last words' : `the last ${words.length} messages`;
  transition.log('warning', `"${nodeId}" ended before its model got ${lost} of a person`, nodeId);
}
