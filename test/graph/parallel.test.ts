import { describe, expect, test } from 'vitest';
import type { Parallel } from '../../src/graph/parallel.js';
import { pipeline, programOf, testEach } from '../run/harness.js';

interface JoinCase {
  readonly name: string;
  readonly dot: readonly string[];
  readonly join: string;
  /** Nodes that more than one branch may execute. */
  readonly shared?: string;
}

const fan = ['fan [shape=component]', 'start -> fan'];
const fanIn = 'in [shape=tripleoctagon]';

const joins: readonly JoinCase[] = [
  {
    name: '48: the fan-in that all branches reach',
    dot: [...fan, fanIn, 'fan -> a -> in -> exit', 'fan -> b -> in'],
    join: 'in',
  },
  {
    name: '48: a fan-in goes before a plain node that is nearer',
    dot: [...fan, fanIn, 'fan -> a -> x -> in -> exit', 'fan -> b -> x'],
    join: 'in',
    shared: 'x',
  },
  {
    name: '48: of two fan-ins the nearer one, by the longest way to it',
    dot: [
      ...[...fan, fanIn, 'far [shape=tripleoctagon]'],
      ...['fan -> a -> in -> far -> exit', 'fan -> b -> c -> in'],
    ],
    join: 'in',
  },
  {
    name: '48: at the same distance, the smaller sum decides',
    dot: [
      ...[...fan, 'near [shape=tripleoctagon]', 'also [shape=tripleoctagon]'],
      ...['fan -> a -> near -> exit', 'fan -> b -> c -> near', 'a -> d -> also -> exit', 'c -> also'],
    ],
    join: 'near',
    shared: 'also',
  },
  {
    name: '48: at the same distance and sum, the id decides',
    dot: [
      ...[...fan, 'in2 [shape=tripleoctagon]', 'in1 [shape=tripleoctagon]'],
      ...['fan -> a -> in2 -> exit', 'fan -> b -> in1 -> exit', 'a -> in1', 'b -> in2'],
    ],
    join: 'in1',
    shared: 'in2',
  },
  {
    name: '48: without a fan-in, the nearest node that all branches reach',
    dot: [...fan, 'fan -> a -> box -> after -> exit', 'fan -> b -> c -> box'],
    join: 'box',
  },
  {
    name: '48: a fan-in that not all branches reach is none',
    dot: [...fan, fanIn, 'fan -> a -> in -> box -> exit', 'fan -> b -> box'],
    join: 'box',
  },
  {
    name: '48: branches that meet nowhere else end at the exit',
    dot: [...fan, 'fan -> a -> exit', 'fan -> b -> exit'],
    join: 'exit',
  },
  {
    name: '48: branches of which one never ends end at the exit',
    dot: [...fan, 'fan -> a -> exit', 'fan -> b -> b2 -> b'],
    join: 'exit',
  },
  {
    name: '81: of one branch, the node after its first one',
    dot: [...fan, 'fan -> a -> b -> exit'],
    join: 'b',
  },
  {
    name: '81: of one branch, the fan-in that follows, however far it is',
    dot: [...fan, fanIn, 'fan -> a -> b -> in -> exit'],
    join: 'in',
  },
  {
    name: '81: of one branch that is a fan-in, that one',
    dot: [...fan, fanIn, 'fan -> in -> exit'],
    join: 'in',
  },
  {
    name: "81: a branch's first node that lies on another's path is not the join",
    dot: [...fan, 'fan -> a -> b -> c -> exit', 'fan -> b'],
    join: 'c',
    shared: 'b',
  },
  {
    name: '81: unless it is a fan-in',
    dot: [...fan, fanIn, 'fan -> a -> in -> exit', 'fan -> in'],
    join: 'in',
  },
  {
    name: '48: several edges to one node are several branches',
    dot: [...fan, 'fan -> a', 'fan -> a -> b -> exit'],
    join: 'b',
    shared: 'a',
  },
  {
    name: '48: an inner parallel node lies within the branch of the outer one',
    dot: [
      ...[...fan, fanIn, 'inner [shape=component]', 'both [shape=tripleoctagon]'],
      ...['fan -> inner', 'inner -> a -> both', 'inner -> b -> both -> in', 'fan -> c -> in -> exit'],
    ],
    join: 'in',
  },
  {
    name: '106: the join that the parallel node names, however near the branches meet',
    dot: [
      'fan [shape=component, join=box]',
      'start -> fan',
      fanIn,
      'fan -> a -> in -> box -> exit',
      'fan -> b -> in',
    ],
    join: 'box',
    shared: 'in',
  },
  {
    name: '106: of one branch, the join that the parallel node names',
    dot: ['fan [shape=component, join=c]', 'start -> fan', 'fan -> a -> b -> c -> exit'],
    join: 'c',
  },
  {
    name: '48: a loop back to the parallel node changes nothing',
    dot: [...fan, fanIn, 'fan -> a -> in -> exit', 'fan -> b -> in', 'in -> fan [condition="outcome=fail"]'],
    join: 'in',
  },
  {
    name: '48: a loop within a branch changes nothing',
    dot: [...fan, fanIn, 'fan -> a -> a2 -> in -> exit', 'a2 -> a', 'fan -> b -> in'],
    join: 'in',
  },
  {
    name: '54: a stage that two branches jump to is shared',
    dot: [
      ...[...fan, fanIn, 'a [retry_target=help]', 'b [fallback_retry_target=help]'],
      ...['fan -> a -> in -> exit', 'fan -> b -> in', 'help -> in', 'start -> help'],
    ],
    join: 'in',
    shared: 'help',
  },
  {
    name: 'a component without edges has no branches, and would join at the exit',
    dot: [...fan, 'start -> exit'],
    join: 'exit',
  },
  {
    name: 'a name of every object is an id like others',
    dot: [...fan, 'fan -> constructor -> __proto__ -> exit', 'fan -> b -> __proto__'],
    join: '__proto__',
  },
];

function parallelOf(statements: readonly string[]): Parallel {
  const parallel = programOf(pipeline(...statements)).nodes.get('fan')?.parallel;
  if (parallel === undefined) throw new Error('"fan" is not a parallel node');
  return parallel;
}

describe('where branches meet', () => {
  testEach(joins, ({ dot, join, shared = '' }) => {
    const { joinId, sharedNodes } = parallelOf(dot);
    expect({ joinId, shared: [...sharedNodes].sort().join(' ') }).toEqual({ joinId: join, shared });
  });
});

describe('49, 52: policies and their parameters', () => {
  const of = (attributes: string) =>
    parallelOf([`fan [shape=component, ${attributes}]`, 'start -> fan -> a -> exit', 'fan -> b -> exit']);
  test.each<[string, Partial<Parallel>]>([
    [
      'label=""',
      { joinPolicy: 'wait_all', errorPolicy: 'continue', maxParallel: 4, joinK: 1, joinQuorum: 0.5 },
    ],
    ['join_policy=k_of_n, join_k=2', { joinPolicy: 'k_of_n', joinK: 2 }],
    ['join_policy=k_of_n, k=2', { joinK: 2 }],
    ['join_policy=k_of_n, min_success="2"', { joinK: 2 }],
    ['join_policy=k_of_n, min_success=1, join_k=2', { joinK: 2 }],
    ['join_policy=quorum, join_quorum=0.75', { joinPolicy: 'quorum', joinQuorum: 0.75 }],
    ['join_policy=quorum, quorum_fraction="1"', { joinQuorum: 1 }],
    [
      'join_policy=first_success, error_policy=ignore',
      { joinPolicy: 'first_success', errorPolicy: 'ignore' },
    ],
    ['error_policy=fail_fast, max_parallel=1', { errorPolicy: 'fail_fast', maxParallel: 1 }],
  ])('%s', (attributes, expected) => {
    expect(of(attributes)).toMatchObject(expected);
  });

  test.each([
    'join_policy=some',
    'error_policy=never',
    'max_parallel=0',
    'join_policy=k_of_n, join_k=0',
    'join_policy=k_of_n, join_k=3',
    'join_policy=quorum, join_quorum=0',
    'join_policy=quorum, join_quorum=1.1',
  ])('%s is refused', (attributes) => {
    expect(() => of(attributes)).toThrow(/join_parameters|attribute_type|attribute_value|expected/);
  });

  test('branches are called after their first node, and numbered where several begin there', () => {
    const { branchNames } = parallelOf([
      ...fan,
      'fan -> a',
      'fan -> b',
      'fan -> a',
      'a -> exit',
      'b -> exit',
    ]);
    expect(branchNames).toEqual(['a', 'b', 'a#2']);
  });
});
