import { expect, test, vi } from 'vitest';
import { buildPreamble } from '../../../src/run/preamble/preamble.js';
import { longPast, material } from './sample.js';

vi.mock('../../../src/handlers/count-tokens.js', () => ({
  loadTokenCounter: () => Promise.reject(new Error('the tokenizer was loaded')),
}));

const modes = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'] as const;

test.each(modes)('a short preamble under %s needs no tokenizer', async (mode) => {
  await expect(buildPreamble(mode, material())).resolves.toBeTypeOf('string');
});

test('a long one does', async () => {
  const long = material({ past: longPast(100) });
  await expect(buildPreamble('compact', long)).rejects.toThrow('the tokenizer was loaded');
});
