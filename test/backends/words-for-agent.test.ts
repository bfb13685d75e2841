import { expect, test } from 'vitest';
import { wordsForAgent } from '../../src/backends/words-for-agent.js';
import type { BackendCall } from '../../src/handlers/codergen-backend.js';

const words = { id: 's', text: 'Use PostgreSQL.', by: 'Ann' };

/** A call, and what its backend does with it. */
function observed(waiting: readonly (typeof words)[], heard: readonly string[] = []) {
  const seen: string[] = [];
  const entries = heard.map((steering_id) => ({ kind: 'person', steering_id, text: '', at: '' }) as const);
  const call = {
    steering: { waiting, delivered: (id: string) => void seen.push(`delivered ${id}`) },
    conversation: {
      earlier: { entries },
      add: ({ kind }: { readonly kind: string }) => void seen.push(`added ${kind}`),
      kept: async () => void seen.push('kept'),
    },
  } as unknown as Pick<BackendCall, 'steering' | 'conversation'>;
  return { seen, call };
}

test('an agent gets words of people once another machine would know that it has them', async () => {
  const { seen, call } = observed([words]);
  expect(await wordsForAgent(call)).toBe('Use PostgreSQL.');
  expect(seen).toEqual(['added person', 'delivered s', 'kept']);
});

test('an agent does not get words again that its conversation has', async () => {
  const { seen, call } = observed([words], ['s']);
  expect(await wordsForAgent(call)).toBeUndefined();
  expect(seen).toEqual(['delivered s']);
});
