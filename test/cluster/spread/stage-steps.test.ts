import { expect, test } from 'vitest';
import type { StageStep } from '../../../src/cluster/spread/stage-queue.js';
import type { CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { submitted } from '../harness.js';
import type { MemoryStages } from '../memory-stages.js';
import { branches, turns } from '../spreading.js';

/** Text of a turn. From 16 KB on, a file is stored by what is added to it. */
const text = 'a'.repeat(6000);

/** A model that says something in each turn, and waits after each. */
class TalkingModel {
  said = 0;
  goOn: () => void = () => undefined;
  readonly #turns: number;

  constructor(count: number) {
    this.#turns = count;
  }

  get backend(): CodergenBackend {
    return {
      run: async (node, _prompt, _context, { conversation, signal }) => {
        if (node.id !== 'one' || conversation === undefined) return 'done';
        const { earlier } = conversation;
        await conversation.begin({ backend: 'ai', continues: earlier !== undefined, recordsTurns: true });
        signal.addEventListener('abort', () => this.goOn());
        const known = earlier?.entries.filter(({ kind }) => kind === 'assistant').length ?? 0;
        for (let turn = known; turn < this.#turns; turn += 1) {
          conversation.add({ kind: 'assistant', content: [{ type: 'text', text }] });
          await conversation.kept();
          this.said += 1;
          await new Promise<void>((resolve) => {
            this.goOn = resolve;
            if (signal.aborted) resolve();
          });
          signal.throwIfAborted();
        }
        return 'answered';
      },
    };
  }
}

function stepsOf(stages: MemoryStages | undefined) {
  const stage = [...(stages?.queued.values() ?? [])].find(({ request }) => request.effect.nodeId === 'one');
  if (stage === undefined) throw new Error('it was not queued');
  return stage;
}

/** Performs a stage of so many turns, and lets each worker leave after some of them. @returns the recorded steps */
async function steps(count: number, turnsEach = count): Promise<readonly StageStep[]> {
  const model = new TalkingModel(count);
  const { stages, work } = await submitted(branches, { backend: model.backend, spread: true });
  const running = work();
  for (let turn = 1; turn <= count; turn += 1) {
    await turns(() => model.said === turn);
    if (turn % turnsEach === 0 && turn < count) {
      const stage = stepsOf(stages);
      stage.hosted?.leave();
      await turns(() => stage.hosted === undefined);
      stages?.take(stage);
    } else model.goOn();
  }
  expect((await running).view.status).toBe('success');
  return stepsOf(stages).steps;
}

function bytesIn(recorded: readonly StageStep[]): number {
  return JSON.stringify(recorded).length;
}

test('steps of a stage of twice as many turns take twice the space', async () => {
  const [short, long] = [await steps(30), await steps(60)];
  expect(long.length).toBe(short.length + 30);
  expect(bytesIn(long)).toBeLessThan(2.2 * bytesIn(short));
});

test('each worker reads the steps of the one before, and what all others have left once', async () => {
  const recorded = await steps(40, 4);
  const begun = recorded.flatMap(({ kind }, index) => (kind === 'begun' ? [index] : []));
  expect(begun).toHaveLength(10);
  const read = begun.map((start, index) => recorded.slice(start, begun[index + 1]));
  expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(8);
  // Each turn adds one part to what is left, of 100 bytes.
  const growth = bytesIn(read.at(-1) ?? []) - bytesIn(read.at(-5) ?? []);
  expect(growth).toBeLessThan(4 * 4 * 200);
});
