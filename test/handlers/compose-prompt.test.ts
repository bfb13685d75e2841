import { expect, test } from 'vitest';
import { composePrompt } from '../../src/handlers/compose-prompt.js';

test.each([
  ['9.2: the preamble comes first, the prompt last', 'Goal: win', 'Plan it', 'Goal: win\n\n---\n\nPlan it'],
  ['without a preamble the prompt is all', '', 'Plan it', 'Plan it'],
  [
    'the prompt is not changed',
    'Goal: win',
    '\n  Plan\n\n---\nit \n',
    'Goal: win\n\n---\n\n\n  Plan\n\n---\nit \n',
  ],
])('%s', (_name, preamble, prompt, composed) => {
  expect(composePrompt(preamble, prompt)).toBe(composed);
});
