import { describe, expect, test } from 'vitest';
import type { Node } from '../../../src/graph/graph.js';
import type { BackendCall, CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { eventsOf, pipeline, resumePipeline, runPipeline } from '../harness.js';

interface Told {
  readonly calls: string[];
  readonly backend: CodergenBackend;
}

/** Keeps what the stages are told; the stage `fails` does so the first time. */
function told(fails = ''): Told {
  const calls: string[] = [];
  let isRed = true;
  return {
    calls,
    backend: {
      run: ({ id }, _prompt, _context, { fidelity, thread }) => {
        calls.push(`${id} ${fidelity} ${thread ?? '-'}`);
        if (id !== fails || !isRed) return Promise.resolve('done');
        isRed = false;
        return Promise.resolve({ status: 'fail', failure_reason: 'red' } as const);
      },
    },
  };
}

describe('67, 5.3: a session does not survive its process', () => {
  const line = (attributes: string) =>
    pipeline(attributes, 't [shape=diamond]', 'start -> a -> t -> b -> c -> exit', 'a; b; c');

  test('so the first LLM stage after a resume is told at summary:high, and the next as ever', async () => {
    const { calls, backend } = told('b');
    const { directory } = await runPipeline(line('default_fidelity=full; thread_id=work'), { backend });
    const { events } = await resumePipeline(directory, { backend });
    expect(calls).toEqual(['a full work', 'b full work', 'b summary:high -', 'c full work']);
    const started = eventsOf(events, 'StageStarted').filter(({ fidelity }) => fidelity !== undefined);
    expect(
      started.map(({ node_id, fidelity, degraded, thread_id }) => [node_id, fidelity, degraded, thread_id]),
    ).toEqual([
      ['b', 'summary:high', true, undefined],
      ['c', 'full', undefined, 'work'],
    ]);
  });

  test('also where only the stage before used a session', async () => {
    const { calls, backend } = told('b');
    const dot = line('default_fidelity=truncate; a [fidelity=full, thread_id=work]').replace(
      'a; b; c',
      'b; c',
    );
    const { directory } = await runPipeline(dot, { backend, maxSteps: 2 });
    await resumePipeline(directory, { backend, maxSteps: 100 });
    expect(calls.slice(0, 2)).toEqual(['a full work', 'b summary:high -']);
  });

  test('in branches that were cut off, each of them has lost its own', async () => {
    const pausing = new AbortController();
    const calls: string[] = [];
    const backend = (interrupts: boolean) => ({
      run: (node: Node, _prompt: string, _context: unknown, { fidelity, signal }: BackendCall) => {
        calls.push(`${node.id} ${fidelity}`);
        if (!interrupts) return Promise.resolve('done');
        if (calls.length === 2) setImmediate(() => pausing.abort({ mode: 'now' }));
        return new Promise<string>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    });
    const dot = pipeline(
      'default_fidelity=full; fan [shape=component]; join [shape=tripleoctagon, prompt=""]; a; b; a2; b2',
      'start -> fan; fan -> a -> a2 -> join; fan -> b -> b2 -> join; join -> exit',
    );
    const cut = await runPipeline(dot, { backend: backend(true), pauseSignal: pausing.signal });
    expect(cut.result.status).toBe('paused');
    const { result } = await resumePipeline(cut.directory, { backend: backend(false) });
    expect(result.status).toBe('success');
    expect(calls.slice(2).sort()).toEqual(['a summary:high', 'a2 full', 'b summary:high', 'b2 full']);
  });

  test('and nothing changes where none was used', async () => {
    const { calls, backend } = told('b');
    const { directory } = await runPipeline(line('default_fidelity=truncate'), { backend });
    const { events } = await resumePipeline(directory, { backend });
    expect(calls.slice(1)).toEqual(['b truncate -', 'b truncate -', 'c truncate -']);
    expect(eventsOf(events, 'StageStarted').filter(({ degraded }) => degraded)).toEqual([]);
  });
});

test('68: branches never share a session, the stages of one do', async () => {
  const { calls, backend } = told();
  const dot = pipeline(
    'default_fidelity=full; thread_id=work; fan [shape=component, max_parallel=1]; node [thread_id=work]',
    'start -> fan; fan -> a -> a2 -> join; fan -> b -> join; join -> exit',
  );
  await runPipeline(dot, { backend });
  expect(calls).toEqual(['a full a/work', 'a2 full a/work', 'b full b/work', 'join full work']);
});
