import { expect, it } from 'vitest';
import { didYouMean, nearestName } from '../../src/diagnostic/did-you-mean.js';

const names = ['plan', 'implement', 'review', 'exit', 'a'];

it.each([
  ['implment', 'implement'],
  ['Review', 'review'],
  ['paln', 'plan'],
  ['eixt', 'exit'],
  ['pln', 'plan'],
  ['A', 'a'],
  ['b', undefined],
  ['deploy', undefined],
])('the name nearest to %j is %j', (word, nearest) => {
  expect(nearestName(word, names)).toBe(nearest);
});

it('is a suggestion, or nothing', () => {
  expect(didYouMean('paln', names)).toBe(' (did you mean "plan"?)');
  expect(didYouMean('deploy', names)).toBe('');
});
