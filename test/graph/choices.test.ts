import { describe, expect, test } from 'vitest';
import { choicesOf, matchChoice } from '../../src/graph/choices.js';
import { fc } from '../support/fast-check.js';

/** The choices of edges with these labels; the targets are `t1`, `t2`, … */
const choices = (...labels: readonly string[]) =>
  choicesOf(labels.map((label, index) => ({ label, to: `t${index + 1}` })));

describe('55b: the keys of choices', () => {
  test.each([
    [
      ['[A] Approve', '[F] Fix'],
      ['A', 'F'],
    ],
    [
      ['Approve', 'fix'],
      ['A', 'F'],
    ],
    [
      ['Accept', 'Abort'],
      ['A', '2'],
    ],
    [
      ['Accept', '[A] Abort'],
      ['1', 'A'],
    ],
    [
      ['[A] Accept', '[A] Abort'],
      ['A', '2'],
    ],
    [
      ['[a] Accept', 'Abort'],
      ['a', '2'],
    ],
    [
      ['[2] Two', 'Ten', 'Twelve'],
      ['2', 'T', '3'],
    ],
    [
      ['[3] Two', 'Ten', 'Twelve'],
      ['3', 'T', '#3'],
    ],
    [
      ['', ''],
      ['T', '2'],
    ],
    [['😀 Fine'], ['😀']],
    [[], []],
  ])('%j have the keys %j', (labels, keys) => {
    expect(choices(...labels).map(({ key }) => key)).toEqual(keys);
  });

  test('are unique, whatever the labels, and every choice is found by its own', () => {
    const label = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('[A] x', '[2] y', 'A) z', 'a', '1', ''),
    );
    fc.assert(
      fc.property(fc.array(label, { maxLength: 8 }), (labels) => {
        const offered = choices(...labels);
        expect(new Set(offered.map(({ key }) => key.toLowerCase())).size).toBe(offered.length);
        for (const choice of offered) {
          if (choice.key.trim() !== '') expect(matchChoice(offered, choice.key)).toBe(choice);
        }
      }),
    );
  });

  test('4.6: without a label the target stands for it', () => {
    expect(choices('', ' Go ')).toEqual([
      { key: 'T', label: 't1', to: 't1', labelled: false },
      { key: 'G', label: 'Go', to: 't2', labelled: true },
    ]);
  });
});

describe('55b: an answer is matched', () => {
  const offered = choices('[A] Approve', '[F] Fix it', '[t1] Odd', 'approve', '5');
  test.each([
    ['by its key', 'a', 1],
    ['by its key before a target', 't1', 3],
    ['by its label as written', 'approve', 4],
    ['by its label before one that only means the same', '[F] Fix it', 2],
    ['by its label without key and case', 'APPROVE', 1],
    ['by its target', 't2', 2],
    ['by its number', '2', 2],
    ['by its key before its number', '5', 5],
    ['with blanks around it', '  f ', 2],
  ])('%s: %j is choice %i', (_how, answer, number) => {
    expect(matchChoice(offered, answer)).toBe(offered[number - 1]);
  });

  test.each(['', '  ', '0', '6', '-1', '1.0', 'fixing', '[F]'])('%j is none of them', (answer) => {
    expect(matchChoice(offered, answer)).toBeUndefined();
  });
});
