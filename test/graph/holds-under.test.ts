import { expect, test } from 'vitest';
import { holdsUnder } from '../../src/graph/holds-under.js';
import { parseCondition } from '../../src/parser/condition/parse.js';

test.each([
  ['outcome=fail', 'always', 'never'],
  ['outcome!=success', 'always', 'never'],
  ['outcome in [fail, retry]', 'always', 'never'],
  ['outcome not in [success]', 'always', 'never'],
  ['!(outcome=fail)', 'never', 'always'],
  ['outcome=fail && context.x=1', 'maybe', 'never'],
  ['outcome=success || context.x=1', 'maybe', 'always'],
  ['outcome=fail || outcome!=fail', 'always', 'always'],
  ['context.x=1', 'maybe', 'maybe'],
  ['outcome matches "fa"', 'maybe', 'maybe'],
  ['exists outcome', 'always', 'always'],
  ['outcome', 'always', 'always'],
  ['exists context.x', 'maybe', 'maybe'],
  ['true', 'always', 'always'],
  ['false && context.x', 'never', 'never'],
])('10.3: `%s` holds %s of a failure, and %s of a success', (text, ofFailure, ofSuccess) => {
  const { condition } = parseCondition(text);
  if (condition === undefined) throw new Error(`"${text}" is no condition`);
  expect([holdsUnder(condition, 'fail'), holdsUnder(condition, 'success')]).toEqual([ofFailure, ofSuccess]);
});
