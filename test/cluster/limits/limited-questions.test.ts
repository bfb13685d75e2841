import { expect, test } from 'vitest';
import { limitedBackend } from '../../../src/cluster/limits/limited-backend.js';
import type { Permit, Permits } from '../../../src/cluster/limits/permits.js';
import type { BackendCall, CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import type { QuestionDraft } from '../../../src/handlers/question-draft.js';
import { eventsOf, pipeline, runPipeline, type Setup } from '../../run/harness.js';

/** Permits that are given out by hand, but for the first one. */
class GivenPermits implements Permits {
  readonly held = new Set<number>();
  /** True for each that was given back with its place kept. */
  readonly kept: boolean[] = [];
  readonly #waiting: { give(): void; refuse(error: Error): void }[] = [];
  readonly #askedAgain = new Map<number, () => void>();
  #asked = 0;

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when so many permits have been asked for. */
  asked(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#asked >= count) resolve();
      else this.#askedAgain.set(count, resolve);
    });
  }

  give(): void {
    this.#waiting.shift()?.give();
  }

  refuse(error: Error): void {
    this.#waiting.shift()?.refuse(error);
  }

  isLimited(): boolean {
    return true;
  }

  async acquire(_provider: string, _holder: string, signal: AbortSignal): Promise<Permit> {
    this.#asked += 1;
    const number = this.#asked;
    this.#askedAgain.get(number)?.();
    if (number > 1)
      await new Promise<void>((give, refuse) => {
        this.#waiting.push({ give, refuse });
        signal.addEventListener('abort', () => refuse(signal.reason));
      });
    this.held.add(number);
    return {
      release: (keepsPlace = false) => {
        this.held.delete(number);
        this.kept.push(keepsPlace);
      },
    };
  }
}

const goOn: QuestionDraft = { text: 'Go on?', type: 'YES_NO', options: [{ key: 'Y', label: 'Yes' }] };
const yes = { value: 'Y', selected_option: { key: 'Y', label: 'Yes' } };

function play(
  permits: Permits,
  work: (call: BackendCall) => Promise<string>,
  setup: Setup = {},
): ReturnType<typeof runPipeline> {
  const backend: CodergenBackend = { run: (_node, _prompt, _context, call) => work(call) };
  return runPipeline(pipeline('a [llm_provider=acme, timeout="1h"]', 'start -> a -> exit'), {
    backend: limitedBackend(backend, permits),
    interviewer: { ask: async () => yes },
    ...setup,
  });
}

test('a run that is paused while an answered question waits for its permit ends that stage first', async () => {
  const permits = new GivenPermits();
  const pausing = new AbortController();
  const held: number[] = [];
  const running = play(
    permits,
    async (call) => {
      const { value } = await call.ask(goOn);
      held.push(permits.held.size);
      return value;
    },
    { pauseSignal: pausing.signal },
  );
  await permits.asked(2);
  pausing.abort({ mode: 'after_stage', reason: 'the worker leaves' });
  // Whatever the pause stops at once is over by then.
  await new Promise((resolve) => setImmediate(resolve));
  permits.give();
  const { result, events } = await running;
  expect(result.status).toBe('paused');
  expect(held).toEqual([1]);
  expect(eventsOf(events, 'StageCompleted').map(({ node_id }) => node_id)).toContain('a');
});

test('a stage that is stopped while it waits with an answer begins again in its place', async () => {
  const permits = new GivenPermits();
  const pausing = new AbortController();
  const running = play(permits, async (call) => (await call.ask(goOn)).value, {
    pauseSignal: pausing.signal,
  });
  await permits.asked(2);
  pausing.abort({ mode: 'now', reason: 'the worker leaves' });
  const { result, events } = await running;
  expect(result.status).toBe('paused');
  expect(eventsOf(events, 'StageCompleted').map(({ node_id }) => node_id)).not.toContain('a');
  expect(permits.held.size).toBe(0);
});

test('a stage that is at work when its run stops keeps its place', async () => {
  const permits = new GivenPermits();
  const pausing = new AbortController();
  const { result } = await play(
    permits,
    async (call) => {
      pausing.abort({ mode: 'now', reason: 'the worker leaves' });
      await call.sleep(1000);
      return 'too late';
    },
    { pauseSignal: pausing.signal },
  );
  expect(result.status).toBe('paused');
  expect(permits.kept).toEqual([true]);
});

test('a stage that gets no permit after an answer stops, whatever its worker makes of that', async () => {
  const permits = new GivenPermits();
  const isStopped: boolean[] = [];
  const running = play(permits, async (call) => {
    await call.ask(goOn).catch(() => undefined);
    isStopped.push(call.signal.aborted);
    return 'done without a permit';
  });
  await permits.asked(2);
  permits.refuse(new Error('the database refuses'));
  const { result, events } = await running;
  expect(result.status).toBe('fail');
  expect(isStopped).toEqual([true]);
  const [failed] = eventsOf(events, 'StageFailed');
  expect(JSON.stringify(failed)).toContain('the database refuses');
});

test('a second question that opens while the first one waits for its permit leaves none behind', async () => {
  const permits = new GivenPermits();
  const held: number[] = [];
  const answers: (() => void)[] = [];
  const asked: (() => void)[] = [];
  const running = play(
    permits,
    async (call) => {
      const first = call.ask({ ...goOn, key: 'first' });
      await permits.asked(2);
      const secondIsOpen = new Promise<void>((resolve) => asked.push(resolve));
      const second = call.ask({ ...goOn, key: 'second' });
      await secondIsOpen;
      permits.give();
      await first;
      held.push(permits.held.size);
      answers[0]?.();
      await permits.asked(3);
      permits.give();
      await second;
      held.push(permits.held.size);
      return 'done';
    },
    {
      interviewer: {
        ask: async ({ id }) => {
          if (id.endsWith('second')) {
            asked[0]?.();
            await new Promise<void>((resolve) => answers.push(resolve));
          }
          return yes;
        },
      },
    },
  );
  const { result } = await running;
  expect(result.status).toBe('success');
  expect(held).toEqual([0, 1]);
  expect(permits.held.size).toBe(0);
});

test('a second question that is answered before the permit comes waits for the same one', async () => {
  const permits = new GivenPermits();
  const running = play(permits, async (call) => {
    const first = call.ask({ ...goOn, key: 'first' });
    await permits.asked(2);
    const second = call.ask({ ...goOn, key: 'second' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(permits.waiting).toBe(1);
    permits.give();
    await Promise.all([first, second]);
    expect(permits.held.size).toBe(1);
    return 'done';
  });
  expect((await running).result.status).toBe('success');
  expect(permits.held.size).toBe(0);
});
