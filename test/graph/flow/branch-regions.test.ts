import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { branchRegions, parallelsAround } from '../../../src/graph/flow/branch-regions.js';
import { joinPoints } from '../../../src/graph/flow/join-points.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { pipeline } from '../../run/harness.js';

/** The nodes of the main line, and those of branches with the parallel nodes around them, the innermost first. */
function placesOf(...statements: readonly string[]) {
  const { graph } = compile(pipeline(...statements));
  const { mainLine, branches, isComplete } = branchRegions(graph, joinPoints(graph, knownHandlerTypes()));
  const inside = [...branches].map(([id, regions]) => [
    id,
    regions.map((region) => parallelsAround(region).join(' < ')),
  ]);
  return { main: [...mainLine].sort().join(' '), inside: Object.fromEntries(inside), isComplete };
}

describe('48: where control is', () => {
  test('on the main line, and in branches up to where they meet', () => {
    expect(
      placesOf(
        'fan [shape=component]',
        'start -> x -> fan; fan -> a -> a2 -> join; fan -> b -> join -> y -> exit',
      ),
    ).toEqual({
      main: 'exit fan join start x y',
      inside: { a: ['fan'], a2: ['fan'], b: ['fan'] },
      isComplete: true,
    });
  });

  test('in parallel nodes in each other, and in nodes that several of them share', () => {
    const { main, inside } = placesOf(
      'out [shape=component]; in [shape=component]; near [shape=tripleoctagon]; far [shape=tripleoctagon]',
      'start -> out; out -> in; in -> a -> near; in -> s -> near -> far; out -> s; s -> far; far -> exit',
    );
    expect(main).toBe('exit far out start');
    expect(inside).toMatchObject({ in: ['out'], a: ['in < out'], near: ['out'] });
    expect(inside.s?.toSorted()).toEqual(['in < out', 'out']);
  });

  test('by jumps of stages and of goal gates, and not by a restart out of a branch', () => {
    const { main, inside } = placesOf(
      'fan [shape=component]; a [retry_target=fix]; fix; b [goal_gate=true, retry_target=again]; again; lost',
      'start -> fan; fan -> a -> join; fan -> b -> join -> exit; fix -> a; again -> fan; b -> lost [loop_restart=true]; lost -> exit',
    );
    expect(main).toBe('again exit fan join start');
    expect(Object.keys(inside).sort()).toEqual(['a', 'again', 'b', 'fix']);
  });

  test('is given up where branches are too tangled', () => {
    const ids = [...Array(14).keys()].map((index) => `p${index}`);
    const { isComplete } = placesOf(
      ...ids.map((id) => `${id} [shape=component]`),
      ...ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => `${from} -> ${to}`)),
      'start -> p0; p0 -> exit',
    );
    expect(isComplete).toBe(false);
  });
});
