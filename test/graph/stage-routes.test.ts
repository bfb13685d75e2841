import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { stageRoutes } from '../../src/graph/stage-routes.js';
import { pipeline } from '../run/harness.js';

const others = ['a -> exit', 'b -> exit'];

function routesOf(...statements: readonly string[]) {
  const { program } = compile(pipeline('start -> work', ...statements));
  if (program === undefined) throw new Error('it does not compile');
  return stageRoutes(program, 'work');
}

describe('128: a success needs a label where its way depends on one', () => {
  test.each<readonly [what: string, needsLabel: boolean, statements: readonly string[]]>([
    ['one way', false, ['work -> exit [label=Done]']],
    ['two labels', true, ['work -> a [label=Yes]', 'work -> b [label=No]', ...others]],
    ['two labels of one target', false, ['work -> a [label=Yes]', 'work -> a [label=No]', 'a -> exit']],
    ['a label beside a way without one', true, ['work -> a', 'work -> b [label=No]', ...others]],
    ['a label beside a heavier way', true, ['work -> a [weight=9]', 'work -> b [label=No]', ...others]],
    ['no labels', false, ['work -> a', 'work -> b', ...others]],
    [
      'auto_status',
      false,
      ['work [auto_status=true]', 'work -> a [label=Yes]', 'work -> b [label=No]', ...others],
    ],
    [
      'labels for readers, and conditions on the outcome',
      false,
      [
        'work -> a [label=Yes, condition="outcome=success"]',
        'work -> b [label=No, condition="outcome=fail"]',
        ...others,
      ],
    ],
    [
      'a labelled way on, and one for failures',
      false,
      ['work -> a [label=Ok]', 'work -> b [condition="outcome=fail"]', ...others],
    ],
    [
      'labels that only failures need',
      false,
      [
        'work -> exit [condition="outcome=success"]',
        'work -> a [label=Yes]',
        'work -> b [label=No]',
        ...others,
      ],
    ],
    [
      'labels that only failures need, by conditions',
      false,
      ['work -> a [condition="outcome=fail && preferred_label=Again"]', 'work -> b', ...others],
    ],
    [
      'a condition on the label',
      true,
      ['work -> a [condition="preferred_label=Again"]', 'work -> b', ...others],
    ],
    [
      'a condition on the label of the result',
      true,
      [
        'work -> a [condition="result.preferred_label=Again || preferred_label=Again"]',
        'work -> b',
        ...others,
      ],
    ],
    [
      'a condition on the label and on more',
      true,
      ['work -> a [condition="preferred_label=Again && context.n > 1"]', 'work -> b', ...others],
    ],
    [
      'a condition on values alone',
      false,
      ['work -> a [condition="context.n > 1"]', 'work -> b [label=Rest]', ...others],
    ],
    [
      'a condition on the label behind one that always holds',
      false,
      [
        'work -> a [condition="outcome=success", weight=2]',
        'work -> b [condition="context.x=1 && preferred_label=Again"]',
        ...others,
      ],
    ],
    [
      'labels of a diamond after it',
      true,
      ['ask [shape=diamond]', 'work -> ask', 'ask -> a [label=Yes]', 'ask -> b [label=No]', ...others],
    ],
    [
      'labels of a diamond that only failures reach',
      false,
      [
        'ask [shape=diamond]',
        'work -> exit [condition="outcome=success"]',
        'work -> ask [condition="outcome=fail"]',
        'ask -> a [label=Yes]',
        'ask -> b [label=No]',
        ...others,
      ],
    ],
  ])('%s: %s', (_what, needsLabel, statements) => {
    expect(routesOf(...statements).needsLabel).toBe(needsLabel);
  });

  test('many edges take no time', () => {
    const count = 2000;
    const targets = Array.from({ length: count }, (_, index) => `n${index}`);
    const statements = targets.map(
      (id) => `work -> ${id} [label="${id}", condition="outcome=fail"]; ${id} -> exit`,
    );
    expect(routesOf(...statements, 'work -> exit').needsLabel).toBe(false);
  });
});
