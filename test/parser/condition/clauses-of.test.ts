import { expect, it } from 'vitest';
import { clausesOf } from '../../../src/parser/condition/clauses-of.js';
import { parseCondition } from '../../../src/parser/condition/parse.js';
import { printClause } from '../../../src/parser/condition/print.js';

it.each<[condition: string, clauses: readonly string[]]>([
  ['outcome=success', ['outcome=success']],
  ['true', ['true']],
  ['a=1 && b=2 || c=3', ['a=1', 'b=2', 'c=3']],
  ['!(a=1 || !exists b) && (c || d in [1, e])', ['a=1', 'exists b', 'c', 'd in [1, e]']],
])('the clauses of %s stand in the order of the text', (text, clauses) => {
  const { condition } = parseCondition(text);
  expect(condition && clausesOf(condition).map(printClause)).toEqual(clauses);
});
