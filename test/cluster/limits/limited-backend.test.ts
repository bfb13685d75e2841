import { expect, test } from 'vitest';

import { limitedBackend } from '../../../src/cluster/limits/limited-backend.js';
import type { Permit, Permits } from '../../../src/cluster/limits/permits.js';
import type { BackendCall, CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { eventsOf, pipeline, resumePipeline, runPipeline } from '../../run/harness.js';

/** Permits of one provider in memory, in the order of the questions. */
class MemoryPermits implements Permits {
  readonly #most: number;
  readonly holders = new Set<string>();
  readonly #waiting: { readonly holder: string; begin(): void }[] = [];
  /** Everyone who has ever asked. */
  readonly asked: string[] = [];
  /** The most who have had one at the same time. */
  together = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get waiting(): readonly string[] {
    return this.#waiting.map(({ holder }) => holder);
  }

  isLimited(provider: string): boolean {
    return provider === 'acme';
  }

  async acquire(_provider: string, holder: string, signal: AbortSignal): Promise<Permit> {
    this.asked.push(holder);
    await new Promise<void>((resolve, reject) => {
      const entry = { holder, begin: resolve };
      this.#waiting.push(entry);
      signal.addEventListener('abort', () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason);
      });
      this.#admit();
    });
    return {
      release: () => {
        this.holders.delete(holder);
        this.#admit();
      },
    };
  }

  #admit(): void {
    while (this.holders.size < this.#most) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.holders.add(next.holder);
      this.together = Math.max(this.together, this.holders.size);
      next.begin();
    }
  }
}

/** A backend of a provider that does something, by default for three seconds. */
function acme(work: (call: BackendCall) => Promise<unknown> = (call) => call.sleep(3000)): CodergenBackend {
  return {
    async run(node, _prompt, _context, call) {
      await work(call);
      return `${node.id} is done`;
    },
  };
}

const branches = (count: number, attributes: string): string => {
  const names = Array.from({ length: count }, (_, index) => `b${index}`);
  return pipeline(
    `graph [llm_provider=Acme]`,
    `fan [shape=component, max_parallel=${count}]`,
    'meet [shape=tripleoctagon, llm_provider=simulated]',
    ...names.map((name) => `${name} [${attributes}]; fan -> ${name} -> meet`),
    'start -> fan; meet -> exit',
  );
};

test('stages wait for a permit, and their time limits begin with it', async () => {
  const permits = new MemoryPermits(2);
  const { result, events } = await runPipeline(branches(6, 'timeout="5s"'), {
    backend: limitedBackend(acme(), permits),
  });
  expect(result.status).toBe('success');
  expect(permits.together).toBe(2);
  expect(permits.holders).toEqual(new Set());
  const said = eventsOf(events, 'LogAppended').filter(({ message }) => message.includes('its turn'));
  expect(said.map(({ node_id }) => node_id)).toEqual(['b2', 'b3', 'b4', 'b5']);
  // The wait is no part of their duration, as for branches that `max_parallel` lets begin later.
  const durations = eventsOf(events, 'StageCompleted').filter(({ node_id: id }) => id.startsWith('b'));
  expect(durations.map(({ duration }) => duration)).toEqual(Array.from({ length: 6 }, () => 3000));
  expect(said[0]?.message).toBe('"b2" waits for its turn: the cluster limits the stages that use acme');
});

test('every attempt of every branch is another holder', async () => {
  const permits = new MemoryPermits(9);
  const failing = acme(async ({ attempt }) => {
    if (attempt === 1) throw new Error('HTTP 503');
  });
  const { result } = await runPipeline(branches(2, 'max_retries=1'), {
    backend: limitedBackend(failing, permits),
  });
  expect(result.status).toBe('success');
  expect(new Set(permits.asked).size).toBe(4);
  expect(permits.holders.size).toBe(0);
});

test.each([
  ['another provider', 'other'],
  ['a simulated stage', 'simulated'],
])('%s waits for nothing', async (_what, provider) => {
  const permits = new MemoryPermits(0);
  const { result } = await runPipeline(pipeline(`a [llm_provider=${provider}]`, 'start -> a -> exit'), {
    backend: limitedBackend(acme(), permits),
  });
  expect(result.status).toBe('success');
  expect(permits.asked).toEqual([]);
});

test('the backend says which provider it is, where the stage does not', async () => {
  const permits = new MemoryPermits(1);
  const { result } = await runPipeline(pipeline('a [llm_model=big]', 'start -> a -> exit'), {
    backend: limitedBackend({ ...acme(), providerOf: () => 'acme' }, permits),
  });
  expect(result.status).toBe('success');
  expect(permits.asked).toHaveLength(1);
});

test('a run that is paused does not wait for a permit first, and asks again in the same place', async () => {
  const permits = new MemoryPermits(0);
  const pausing = new AbortController();
  const dot = pipeline('a [llm_provider=acme]', 'start -> a -> exit');
  const paused = await runPipeline(dot, {
    backend: limitedBackend(acme(), permits),
    pauseSignal: pausing.signal,
    onEvent: ({ type }) => {
      if (type === 'LogAppended') pausing.abort({ mode: 'after_stage', reason: 'lunch' });
    },
  });
  expect(paused.result.status).toBe('paused');
  expect(permits.waiting).toEqual([]);
  const free = new MemoryPermits(1);
  const { result } = await resumePipeline(paused.directory, { backend: limitedBackend(acme(), free) });
  expect(result.status).toBe('success');
  expect(free.asked).toEqual(permits.asked);
});

test('a stage that is stopped while it waits leaves the queue', async () => {
  const permits = new MemoryPermits(0);
  const stopping = new AbortController();
  const { result } = await runPipeline(pipeline('a [llm_provider=acme]', 'start -> a -> exit'), {
    backend: limitedBackend(acme(), permits),
    signal: stopping.signal,
    onEvent: ({ type }) => {
      if (type === 'LogAppended') stopping.abort();
    },
  });
  expect(result.status).not.toBe('success');
  expect(permits.waiting).toEqual([]);
});

test('while a person is asked, another stage has the permit', async () => {
  const permits = new MemoryPermits(1);
  const held: number[] = [];
  const asking = acme(async (call) => {
    held.push(permits.holders.size);
    await call.ask({ text: 'Go on?', type: 'YES_NO', options: [{ key: 'Y', label: 'Yes' }] });
    held.push(permits.holders.size);
  });
  const { result } = await runPipeline(pipeline('a [llm_provider=acme]', 'start -> a -> exit'), {
    backend: limitedBackend(asking, permits),
    interviewer: {
      ask: async () => {
        held.push(permits.holders.size);
        return { value: 'Y', selected_option: { key: 'Y', label: 'Yes' } };
      },
    },
  });
  expect(result.status).toBe('success');
  expect(held).toEqual([1, 0, 1]);
  expect(permits.holders.size).toBe(0);
});
