import { onTestFinished } from 'vitest';
import { type MockModels, type MockTurn, mockModels } from './mock-models.js';

/** Models that give each answer only when the test lets them. */
export interface HeldModels {
  readonly mock: MockModels;
  /** Number of requests that have come, answered or not. */
  asked(): number;
  /** Lets one request have its answer: one that waits, or the next one. */
  release(): void;
}

/** Starts a mock whose answers are held, in their order. */
export async function heldModels(turns: readonly MockTurn[]): Promise<HeldModels> {
  const waiting: (() => void)[] = [];
  let released = 0;
  let asked = 0;
  const allowed = (): Promise<void> =>
    new Promise((resolve) => {
      if (released === 0) return void waiting.push(resolve);
      released -= 1;
      resolve();
    });
  const mock = await mockModels(
    turns.map(({ response, wire }) => ({
      wire,
      response: async (request) => {
        asked += 1;
        await allowed();
        return typeof response === 'function' ? response(request) : response;
      },
    })),
  );
  // A server does not stop as long as somebody waits for it.
  onTestFinished(() => {
    released = Number.POSITIVE_INFINITY;
    for (const go of waiting.splice(0)) go();
  });
  return {
    mock,
    asked: () => asked,
    release() {
      const next = waiting.shift();
      if (next === undefined) released += 1;
      else next();
    },
  };
}
