import { describe, expect, test } from 'vitest';
import { fc, runsOf } from '../../support/fast-check.js';
import { endless, eventsOf, gated, openRegistry, quick, until, untilStatus } from './harness.js';

type Step =
  | { readonly kind: 'submit'; readonly what: 'quick' | 'endless' | 'gated' }
  | { readonly kind: 'cancel' | 'pause' | 'resume' | 'answer'; readonly run: number }
  | { readonly kind: 'breathe' };

const pipelines = { quick, endless, gated } as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      what: fc.constantFrom('quick' as const, 'endless' as const, 'gated' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'pause' as const, 'resume' as const, 'answer' as const),
      run: fc.nat(7),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('breathe' as const) }) },
);

describe('§9.5 any interleaving of what is asked of the server', () => {
  test('never has more runs executed than may be, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 14 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, maxRunning) => {
          const { registry } = await openRegistry({ maxRunning });
          const working = new Set<string>();
          let most = 0;
          registry.onRunEvent((event) => {
            // A run that is cancelled in the queue has a journal, but does nothing.
            if (event.type === 'StageStarted' && event.node_id === 'work') working.add(event.run_id);
            if (/^Pipeline(?:Paused|Completed|Failed|Cancelled)$/.test(event.type))
              working.delete(event.run_id);
            most = Math.max(most, working.size);
          });
          const ids: string[] = [];
          const asked: Promise<unknown>[] = [];
          const ask = async (one: Step): Promise<void> => {
            if (one.kind === 'breathe') return until(() => true);
            if (one.kind === 'submit') {
              ids.push((await registry.submit(pipelines[one.what])).id);
              return;
            }
            const id = ids[one.run % Math.max(1, ids.length)];
            if (id === undefined) return;
            if (one.kind === 'cancel') await registry.cancel(id);
            else if (one.kind === 'pause') await registry.pause(id, { mode: 'now' });
            else if (one.kind === 'resume') await registry.resume(id, {});
            else await registry.answer(id, 'gate', 'A');
          };
          for (const one of steps) {
            // What a run in its state cannot do is refused, and a question that was never asked is not found; anything else would be a bug.
            asked.push(
              ask(one).catch((error: { readonly code?: string }) => {
                if (error.code !== 'conflict' && error.code !== 'not_found') throw error;
              }),
            );
            if (one.kind === 'breathe') await new Promise((resolve) => setImmediate(resolve));
          }
          await Promise.all(asked);
          const listed = registry.list({ limit: 100 }).runs.map(({ id }) => id);
          expect([...listed].sort()).toEqual([...ids].sort());
          // Whatever is left comes to an end as soon as nothing keeps the others from beginning.
          for (const id of ids) {
            await registry.cancel(id).catch((error: { readonly code?: string }) => {
              if (error.code !== 'conflict') throw error;
            });
            await untilStatus(registry, id, 'success', 'cancelled');
            const seqs = (await eventsOf(registry, id)).map(({ seq }) => seq);
            expect(seqs).toEqual(seqs.map((_, index) => index + 1));
          }
          await until(() => registry.counts().running === 0);
          expect(registry.counts().waitingForPeople).toBe(0);
          expect(most).toBeLessThanOrEqual(maxRunning);
          await registry.close();
        },
      ),
      { numRuns: runsOf({ quick: 12, thorough: 60 }), endOnFailure: true },
    );
  }, 240_000);
});
