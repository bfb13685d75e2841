import { deserialize, serialize } from 'node:v8';
import { expect, test, vi } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { RunEvent } from '../../src/machine/event.js';
import { JournalFold } from '../../src/run/journal-fold.js';
import { run } from '../../src/run/run.js';
import { virtualClock } from '../../src/run/simulate/virtual-clock.js';
import { handlersOf } from '../cluster/harness.js';
import { linePipelines, outcomeSequences, pipelines } from '../machine/arbitrary-program.js';
import { fc, runsOf } from '../support/fast-check.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { failingBranches, listOf } from './harness.js';

const numRuns = runsOf({ quick: 10, thorough: 100 });

vi.setConfig({ testTimeout: 60_000 + 2000 * numRuns });

const inputs = Object.fromEntries([1, 2, 3].map((items) => [listOf(items), Array(items).fill('item')]));

function misfit(_event: RunEvent, error: unknown): never {
  throw error;
}

test('a fold that was stored after any event continues like the fold of the whole journal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(linePipelines, pipelines),
      outcomeSequences,
      fc.nat(),
      async (dot, sequence, cut) => {
        const compilation = compile(dot, { ruleSettings: failingBranches });
        const { program } = compilation;
        if (program === undefined) throw new Error('not valid');
        const events: RunEvent[] = [];
        await run(compilation, {
          inputs,
          handlers: handlersOf(sequence),
          clock: virtualClock({ start: 1_000_000 }),
          fileSystem: memoryFileSystem(),
          runDirectory: '/dev/null/local/run',
          onEvent: (event) => void events.push(event),
        });
        const at = cut % (events.length + 1);
        const whole = new JournalFold(program);
        whole.add(events, misfit);
        const before = new JournalFold(program);
        before.add(events.slice(0, at), misfit);
        const after = new JournalFold(program, deserialize(serialize(before.data)));
        expect(after.state).toEqual(before.state);
        after.add(events.slice(at), misfit);
        expect(after.state).toEqual(whole.state);
        expect(after.madeUp).toEqual(whole.madeUp);
        expect(after.stageViews.data).toEqual(whole.stageViews.data);
        expect(after.continuation.data).toEqual(whole.continuation.data);
        expect(after.history?.data).toEqual(whole.history?.data);
      },
    ),
    { numRuns },
  );
});
