import { describe, expect, test } from 'vitest';
import { type Killing, killRuns, randomFrom } from './kills.js';
import { crashPipelines } from './pipelines.js';
import { tell } from './tell.js';

/** In each pipeline; the long form (`npm run bench:crash`) sets more. */
const kills = Number(process.env.ATTRACTOR_KILLS ?? 20);
const lanes = 2;

/** A kill takes about a second; on a busy machine, several. */
const patienceMs = 60_000 + kills * 20_000;

// What a run loses when its process goes (DESIGN §1.3): at most the stages that were under way.

describe(`processes that are killed at random moments, ${kills} times`, () => {
  test.for(crashPipelines.filter(({ isKilled }) => isKilled))(
    '$name',
    { timeout: patienceMs },
    async (pipeline, context) => {
      const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
      try {
        const killing = Array.from({ length: lanes }, (_, lane) =>
          killRuns(pipeline, kills / lanes, randomFrom(seed + lane)),
        );
        // Should one fail, the other still ends before its files are removed.
        await Promise.allSettled(killing);
        const killed = await Promise.all(killing);
        const sum = (count: (one: Killing) => number): number =>
          killed.reduce((all, one) => all + count(one), 0);
        expect(sum((one) => one.kills)).toBe(kills);
        tell(context, { kills, runs: sum((one) => one.runs), repeated: sum((one) => one.repeated) });
      } catch (error) {
        throw new Error(`SEED=${seed} repeats this: ${String(error)}`, { cause: error });
      }
    },
  );
});
