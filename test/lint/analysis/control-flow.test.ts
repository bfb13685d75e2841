import { expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { parallelsAround } from '../../../src/graph/flow/branch-regions.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { controlFlow } from '../../../src/lint/analysis/control-flow.js';
import { pipeline, testEach } from '../../run/harness.js';

/** Every step as `from -> to`, with what it is by where that is not an edge; a place in a branch is told with the parallel nodes around. */
function stepsOf(...statements: readonly string[]): readonly string[] {
  const flow = controlFlow(compile(pipeline(...statements)).graph, knownHandlerTypes());
  const name = (index: number) => {
    const place = flow.points[index];
    return [place?.node.id, ...parallelsAround(place?.region)].join('@');
  };
  return flow.points.flatMap(({ index }) =>
    flow
      .stepsFrom(index)
      .map(({ to, by }) => `${name(index)} -> ${name(to)}${by === 'edge' ? '' : ` by ${by}`}`),
  );
}

testEach(
  [
    {
      name: '3.7: a failed stage jumps to the first of its targets that there is, unless an edge catches it',
      statements: [
        'a [retry_target=nobody, fallback_retry_target=b]; b; c [retry_target=b]',
        'start -> a -> b -> c; c -> exit [condition="outcome=success"]; c -> a [condition="outcome!=success"]',
      ],
      steps: ['start -> a', 'a -> b', 'a -> b by jump', 'b -> c', 'c -> exit', 'c -> a'],
    },
    {
      name: '3.4: the exit leads back to the targets of goal gates',
      statements: [
        'graph [retry_target=a]; a [goal_gate=true]; b [goal_gate=true, retry_target=c]; c',
        'start -> a -> b -> exit; c -> exit',
      ],
      steps: [
        'start -> a',
        'a -> b',
        'b -> exit',
        'b -> c by jump',
        'exit -> a by goal_gate',
        'exit -> c by goal_gate',
        'c -> exit',
      ],
    },
    {
      name: '48: a parallel node has branches, and continues at the join; a branch cannot restart',
      statements: [
        'fan [shape=component]; a [retry_target=fan]; join [shape=tripleoctagon]',
        'start -> fan; fan -> a -> join; fan -> b -> c -> join; c -> start [loop_restart=true]; join -> exit',
      ],
      steps: [
        ...['start -> fan', 'fan -> a@fan by branch', 'fan -> b@fan by branch', 'fan -> join by join'],
        ...['b@fan -> c@fan', 'join -> exit'],
      ],
    },
    {
      name: '36: a restart begins afresh',
      statements: ['start -> a -> exit; a -> b [loop_restart=true]; b -> exit'],
      steps: ['start -> a', 'a -> exit', 'a -> b by restart', 'b -> exit'],
    },
  ],
  ({ statements, steps }) => {
    expect([...stepsOf(...statements)].toSorted()).toEqual([...steps].toSorted());
  },
);

test('has no place where there is not one start and one exit', () => {
  expect(stepsOf('second [shape=Mdiamond]', 'start -> a -> exit; second -> a')).toEqual([]);
});
