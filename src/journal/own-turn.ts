/** Characters of a journal that a reader parses in one turn; about a millisecond of work. */
export const turnLength = 32 * 1024;

const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop that it shares with no other caller of this function, first come, first served. Whoever
 * has much to read or to send does it in pieces and waits for a turn before each: between two pieces, whichever readers they
 * belong to, the loop handles everything else that is ready.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
