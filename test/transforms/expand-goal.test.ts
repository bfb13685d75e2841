import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../src/graph/graph.js';
import { expandGoal } from '../../src/transforms/expand-goal.js';
import { attributesOf, frozenGraph, valueSpan } from './frozen-graph.js';

function expanded(attributes: Readonly<Record<string, AttributeValue>>, goal = 'win'): readonly string[] {
  return attributesOf(expandGoal.apply(frozenGraph({ attributes: { goal }, nodes: { a: attributes } })), 'a');
}

describe('60: $goal', () => {
  test.each<readonly [string, string, string]>([
    ['$goal', 'win', 'win'],
    ['To $goal: $goal.', 'win', 'To win: win.'],
    ['$goals $goal_x $goal1 $Goal goal', 'win', '$goals $goal_x $goal1 $Goal goal'],
    ['$goal-oriented, 为$goal而', 'win', 'win-oriented, 为win而'],
    ['do $goal', 'say $goal and $& and $1', 'do say $goal and $& and $1'],
    ['$goal!', '', '!'],
  ])('%s with the goal %s', (prompt, goal, expected) => {
    expect(expanded({ prompt }, goal)).toEqual([
      `prompt=${expected} (${prompt === expected ? 'explicit' : 'transform'})`,
    ]);
  });

  test.each<readonly [string, Readonly<Record<string, AttributeValue>>, readonly string[]]>([
    ['the label where it is the prompt', { label: 'Do $goal' }, ['label=Do win (transform)']],
    [
      'the label next to an empty prompt',
      { label: '$goal', prompt: '' },
      ['label=win (transform)', 'prompt= (explicit)'],
    ],
    [
      'not the label next to a prompt',
      { label: '$goal', prompt: '$goal' },
      ['label=$goal (explicit)', 'prompt=win (transform)'],
    ],
    [
      'not the label of a stage without a prompt',
      { label: '$goal', shape: 'hexagon' },
      ['label=$goal (explicit)', 'shape=hexagon (explicit)'],
    ],
    [
      'the prompt of any stage',
      { prompt: '$goal', shape: 'tripleoctagon' },
      ['prompt=win (transform)', 'shape=tripleoctagon (explicit)'],
    ],
    [
      'no command',
      { tool_command: 'echo $goal', shape: 'parallelogram' },
      ['tool_command=echo $goal (explicit)', 'shape=parallelogram (explicit)'],
    ],
  ])('%s', (_, attributes, expected) => expect(expanded(attributes)).toEqual(expected));
});

test('a graph without a goal has an empty one', () => {
  const graph = expandGoal.apply(frozenGraph({ nodes: { a: { prompt: 'To $goal.' } } }));
  expect(attributesOf(graph, 'a')).toEqual(['prompt=To . (transform)']);
});

test('the place of an expanded prompt is where it was written', () => {
  const graph = expandGoal.apply(frozenGraph({ nodes: { a: { prompt: '$goal' } } }));
  expect(graph.nodes.get('a')?.attributes.get('prompt')?.valueSpan).toEqual(valueSpan);
});

test('a graph with nothing to expand comes back as it is', () => {
  const graph = frozenGraph({ attributes: { goal: 'win' }, nodes: { a: { prompt: 'x' } } });
  expect(expandGoal.apply(graph)).toBe(graph);
});
