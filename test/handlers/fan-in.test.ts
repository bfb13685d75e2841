import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { eventsOf, fileOf, pipeline, runPipeline, testEach } from '../run/harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };

/** Two branches, `a` and `b`, and a fan-in whose prompt asks a model which is the better one. */
const fan = (prompt: string) =>
  pipeline(
    `fan [shape=component]; join [shape=tripleoctagon, prompt="${prompt}"]`,
    'start -> fan; fan -> a -> join; fan -> b -> join; join -> exit',
  );

interface Asked {
  readonly prompts: string[];
  readonly backend: CodergenBackend;
}

/** A backend that says this at the fan-in; the stages are scripted. */
function choosing(answer: string | Error): Asked {
  const prompts: string[] = [];
  return {
    prompts,
    backend: {
      run: (_node, prompt) => {
        prompts.push(prompt);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
  };
}

/** By the ranking, `a` is the better one. */
const script = { a: { context_updates: { score: 2 } }, b: { context_updates: { score: 1 }, notes: 'did b' } };

describe('53, 4.9: a fan-in with a prompt and a backend', () => {
  test('asks the model, which is told of the candidates, and takes its choice', async () => {
    const { prompts, backend } = choosing('b');
    const { result, directory } = await runPipeline(fan('Which is clearer?'), { backend, script });
    expect(result.context).toMatchObject({
      'parallel.fan_in.best_id': 'b',
      'parallel.fan_in.best_outcome': 'success',
      'parallel.fan_in.best': { id: 'b', notes: 'did b' },
      'parallel.results': [],
    });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toMatch(/^Which is clearer\?[\s\S]*"notes": "did b"[\s\S]*one of a, b\.$/);
    expect([fileOf(directory, 'join', 'prompt.md'), fileOf(directory, 'join', 'response.md')]).toEqual([
      prompts[0],
      'b',
    ]);
  });

  testEach(
    [
      { name: 'a sentence that names one', answer: 'The better one is "b".', best: 'b', warned: undefined },
      { name: 'an answer that names none', answer: 'neither', best: 'a', warned: /is not one of a, b/ },
      { name: 'an answer that names several', answer: 'a or b', best: 'a', warned: /is not one of a, b/ },
      {
        name: 'an answer that is not text',
        answer: 7 as unknown as string,
        best: 'a',
        warned: /could not choose for "join" \(the backend returned 7; expected a string or an outcome\)/,
      },
      {
        name: 'a model that fails',
        answer: new Error('overloaded'),
        best: 'a',
        warned: /overloaded.*best-ranked/,
      },
    ],
    async ({ answer, best, warned }) => {
      const { backend } = choosing(answer);
      const { result, events } = await runPipeline(fan('Which?'), { backend, script });
      expect(result.context['parallel.fan_in.best_id']).toBe(best);
      expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual(
        warned === undefined ? [] : [expect.stringMatching(warned)],
      );
    },
  );

  test('does not offer what has failed', async () => {
    const { prompts, backend } = choosing('a');
    const { result } = await runPipeline(fan('Which?'), { backend, script: { ...script, a: fail } });
    expect(prompts[0]).toMatch(/one of b\.$/);
    expect(result.context['parallel.fan_in.best_id']).toBe('b');
  });

  test('asks nobody where every branch failed', async () => {
    const { prompts, backend } = choosing('a');
    const { result } = await runPipeline(fan('Which?'), { backend, script: { a: fail, b: fail } });
    expect(prompts).toEqual([]);
    expect(result).toMatchObject({ status: 'fail', failed_node: 'join' });
  });
});

test('53, 4.9: without a prompt no model is asked', async () => {
  const { prompts, backend } = choosing('b');
  const { result } = await runPipeline(fan(''), { backend, script });
  expect(prompts).toEqual([]);
  expect(result.context).toMatchObject({
    'parallel.fan_in.best_id': 'a',
    'parallel.fan_in.best_outcome': 'success',
  });
});
