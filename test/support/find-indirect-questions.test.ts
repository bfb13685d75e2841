import { expect, it } from 'vitest';
import { findIndirectQuestions } from './find-indirect-questions.js';

it('finds the doc comments that begin as a question, on one line or on several', () => {
  const text = [
    '/** What a driver needs. */',
    'const a = 1; // How it is done',
    '/** Ports of the driver. */',
    '/**',
    ' * Whether it is done.',
    ' * @returns nothing',
    ' */',
    '/** Whatever a stage returns; how it is shown is said elsewhere. */',
  ].join('\n');
  expect(findIndirectQuestions(text)).toEqual({
    count: 4,
    questions: ['1: What a driver needs.', '4: Whether it is done.'],
  });
});
