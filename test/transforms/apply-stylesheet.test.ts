import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../src/graph/graph.js';
import { applyStylesheet } from '../../src/transforms/apply-stylesheet.js';
import { attributesOf, frozenGraph, valueSpan } from './frozen-graph.js';

/** The attributes that node `a` of classes `x` and `y` has after the stylesheet. */
function styled(
  model_stylesheet: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
): readonly string[] {
  const graph = frozenGraph({
    attributes: { model_stylesheet },
    nodes: { a: attributes },
    classes: { a: ['x', 'y'] },
  });
  return attributesOf(applyStylesheet.apply(graph), 'a');
}

describe('selectors', () => {
  test.each<readonly [string, Readonly<Record<string, AttributeValue>>, boolean]>([
    ['*', {}, true],
    ['box', {}, true],
    ['box', { shape: 'box' }, true],
    ['box', { shape: 'hexagon' }, false],
    ['hexagon', { shape: 'hexagon' }, true],
    ['Box', {}, false],
    ['.x', {}, true],
    ['.y', {}, true],
    ['.z', {}, false],
    ['.X', {}, false],
    ['#a', {}, true],
    ['#A', {}, false],
    ['a', {}, false],
  ])('%s on a node with %j: %s', (selector, attributes, expected) => {
    expect(styled(`${selector} { llm_model: m }`, attributes).includes('llm_model=m (stylesheet)')).toBe(
      expected,
    );
  });
});

describe('46, 47b, 8.3: specificity', () => {
  test.each([
    ['shape over universal', 'box { llm_model: 1 } * { llm_model: 2 }', '1'],
    ['class over shape', '.x { llm_model: 1 } box { llm_model: 2 }', '1'],
    ['id over class', '#a { llm_model: 1 } .x { llm_model: 2 } * { llm_model: 3 }', '1'],
    ['the later of two equals', '.x { llm_model: 1 } .y { llm_model: 2 }', '2'],
    ['the later of two in a rule', '* { llm_model: 1; llm_model: 2 }', '2'],
  ])('%s', (_, sheet, model) => expect(styled(sheet)).toEqual([`llm_model=${model} (stylesheet)`]));

  test('each property has its own winner', () => {
    expect(
      styled(
        '* { llm_model: 1; llm_provider: p } .x { llm_model: 2; reasoning_effort: low } #a { llm_model: 3 }',
      ),
    ).toEqual([
      'llm_model=3 (stylesheet)',
      'llm_provider=p (stylesheet)',
      'reasoning_effort=low (stylesheet)',
    ]);
  });
});

test('47: what the author wrote on the node stays', () => {
  expect(styled('#a { llm_model: 1; reasoning_effort: low }', { llm_model: 'mine' })).toEqual([
    'llm_model=mine (explicit)',
    'reasoning_effort=low (stylesheet)',
  ]);
});

test('47b: other properties are not applied', () => {
  expect(styled('* { max_tokens: 3; prompt: x; shape: y; model: m }')).toEqual(['llm_model=m (stylesheet)']);
});

test.each(['* { llm_model: m } a {', '', '/* */'])('47c: %j changes nothing', (model_stylesheet) => {
  const graph = frozenGraph({ attributes: { model_stylesheet }, nodes: { a: {} } });
  expect(applyStylesheet.apply(graph)).toBe(graph);
});

test("47a: the graph's own properties are not copied", () => {
  const graph = frozenGraph({
    attributes: { llm_model: 'default', model_stylesheet: '* { llm_provider: p }' },
    nodes: { a: {} },
  });
  expect(attributesOf(applyStylesheet.apply(graph), 'a')).toEqual(['llm_provider=p (stylesheet)']);
});

test('a computed attribute points at the stylesheet', () => {
  const graph = frozenGraph({ attributes: { model_stylesheet: '* { llm_model: m }' }, nodes: { a: {} } });
  const attribute = applyStylesheet.apply(graph).nodes.get('a')?.attributes.get('llm_model');
  expect(attribute).toMatchObject({ keySpan: valueSpan, valueSpan });
});
