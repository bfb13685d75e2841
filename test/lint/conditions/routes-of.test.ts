import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { type Route, type Routes, routesOf } from '../../../src/lint/conditions/routes-of.js';
import { pipeline } from '../../run/harness.js';

function routesFrom(nodeId: string, ...statements: readonly string[]): Routes | undefined {
  return routesOf(compile(pipeline(...statements)).graph, nodeId, knownHandlerTypes());
}

/** The ways of each outcome, in short. */
function told(nodeId: string, ...statements: readonly string[]): Record<string, string> {
  const outcomes = routesFrom(nodeId, ...statements)?.outcomes ?? [];
  return Object.fromEntries(
    outcomes.map(({ outcome, routes: ways }) => [outcome, ways.map(inShort).join(', ')]),
  );
}

function inShort(way: Route): string {
  switch (way.kind) {
    case 'condition':
      return way.always ? `${way.edge.to}!` : `${way.edge.to}?`;
    case 'plain':
      return `${way.edge.to} by ${way.by}`;
    case 'failure_to_conditional':
      return `${way.edge.to} by ${way.kind}`;
    case 'jump':
      return `${way.target.nodeId} by ${way.target.attribute}`;
    case 'join':
      return `join ${way.to}`;
    case 'end':
      return 'end';
    case 'fail':
      return `fail: ${way.failure}`;
  }
}

describe('where control goes', () => {
  test.each<readonly [string, readonly string[], Record<string, string>]>([
    [
      'a plain edge: not on a failure (20)',
      ['a -> exit'],
      { success: 'exit by weight', fail: 'fail: stage' },
    ],
    [
      'conditions first, in the order of weight and name, without those that cannot hold (18, 19)',
      [
        'a -> b [condition="outcome=success && context.x=1"]',
        'a -> c [condition="outcome=success"]',
        'a -> d [condition="outcome=success", weight=-1]',
        'a -> b [condition="outcome=fail"]',
      ],
      { success: 'b?, c!', partial_success: 'fail: routing', fail: 'b!' },
    ],
    [
      'labels, suggestions, weight (§3.3)',
      ['a -> b [label="Go"]', 'a -> c [label="[G] go", weight=2]', 'a -> d'],
      {
        success:
          'b by preferred_label, b by suggested_next_ids, c by suggested_next_ids, d by suggested_next_ids, c by weight',
      },
    ],
    [
      'the failure ladder: conditions, retry targets, a diamond (20)',
      [
        'a [retry_target=b, fallback_retry_target=c]',
        'a -> d [condition="outcome=fail && context.x=1"]',
        'a -> q',
        'a -> b',
        'q [shape=diamond]',
      ],
      {
        success: 'q by suggested_next_ids, b by suggested_next_ids, b by weight',
        fail: 'd?, b by retry_target, c by fallback_retry_target, q by failure_to_conditional',
      },
    ],
    ['on_failure=continue (20)', ['a [on_failure=continue]', 'a -> b'], { fail: 'b by weight' }],
    ['no edge at all: the run ends (22)', ['a'], { success: 'end', fail: 'fail: stage' }],
    [
      'a condition that cannot be read, or is one of too many, may hold',
      ['a -> b [condition="outcome=="]', 'a -> c [condition="outcome=success", weight=1]'],
      { success: 'c?, b?, fail: routing', fail: 'c?, b?, fail: stage' },
    ],
    [
      'a diamond with an explicit else (80)',
      ['a [shape=diamond]', 'a -> b [condition="context.x=1"]', 'a -> c'],
      { success: 'b?, c by weight', fail: 'b?, c by weight' },
    ],
    [
      'a diamond without conditions, with a retry target of its own (80)',
      ['a [shape=diamond, retry_target=b]', 'a -> c'],
      { success: 'c by weight', fail: 'b by retry_target, fail: stage' },
    ],
  ])('%s', (_name, statements, expected) => {
    const found = told(
      'a',
      'b',
      'c',
      'd',
      'b -> exit',
      'c -> exit',
      'd -> exit',
      'start -> a',
      ...statements,
    );
    expect(found).toMatchObject(expected);
  });

  test('a parallel node goes to the join, and to its branches in between', () => {
    const statements = [
      'p [shape=component]',
      'x',
      'y',
      'j [shape=tripleoctagon]',
      'start -> p',
      'p -> x -> j',
      'p -> y -> j',
      'j -> exit',
    ];
    expect(told('p', ...statements)).toMatchObject({ success: 'join j', fail: 'fail: stage' });
    expect(routesFrom('p', ...statements)?.branches.map(({ to }) => to)).toEqual(['x', 'y']);
  });

  test('a human gate has no way on for a failure but conditions and jumps (20a)', () => {
    const statements = [
      'g [shape=hexagon]',
      'start -> g',
      'g -> exit [label="Yes"]',
      'g -> q [label="No"]',
      'q [shape=diamond]',
      'q -> exit',
    ];
    expect(told('g', ...statements)).toEqual({
      success:
        'exit by preferred_label, q by preferred_label, exit by suggested_next_ids, q by suggested_next_ids, exit by weight',
      fail: 'fail: stage',
    });
  });

  test('the exit ends the run; what is not a node has no routes', () => {
    expect(told('exit', 'start -> exit')).toEqual({ success: 'end' });
    expect(routesFrom('nobody', 'start -> exit')).toBeUndefined();
  });
});
