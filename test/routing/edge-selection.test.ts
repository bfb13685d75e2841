import { describe, expect, test } from 'vitest';
import { eventsOf, fork, pipeline, runPipeline, testEach } from '../run/harness.js';
import { expectPath, type PathCase } from './path-case.js';

const selection: readonly PathCase[] = [
  {
    name: '18: a true condition goes before the preferred label and the weight',
    dot: fork('condition="outcome=success"', 'label="Go", weight=9'),
    script: { a: { preferred_label: 'Go', suggested_next_ids: ['c'] } },
    path: 'a b',
  },
  {
    name: '18: the preferred label goes before the suggested ids',
    dot: fork('label="Go"', 'weight=9'),
    script: { a: { preferred_label: 'Go', suggested_next_ids: ['c'] } },
    path: 'a b',
  },
  {
    name: '18: the suggested ids go before the weight',
    dot: fork('', 'weight=9'),
    script: { a: { suggested_next_ids: ['b'] } },
    path: 'a b',
  },
  {
    name: '18: an edge whose condition is false is not taken for its label',
    dot: fork('label="Go", condition="outcome=fail"', ''),
    script: { a: { preferred_label: 'Go' } },
    path: 'a c',
  },
  {
    name: '18: an edge whose condition is false is not taken because it is suggested',
    dot: fork('condition="outcome=fail"', ''),
    script: { a: { suggested_next_ids: ['b'] } },
    path: 'a c',
  },
  {
    name: '18: a label that no edge has falls through to the suggested ids',
    dot: fork('', 'weight=9'),
    script: { a: { preferred_label: 'Nowhere', suggested_next_ids: ['b'] } },
    path: 'a b',
  },
  {
    name: '18a: labels match without their accelerator, without regard to case',
    dot: fork('label="[Y] Yes, deploy"', 'label="N) No", weight=9'),
    script: { a: { preferred_label: ' yes, DEPLOY ' } },
    path: 'a b',
  },
  {
    name: '18a: of several edges with one label the first declared is taken',
    dot: fork('label="Go"', 'label="go", weight=9'),
    script: { a: { preferred_label: 'GO' } },
    path: 'a b',
  },
  {
    name: '18b: suggestions count in their own order, unknown ones are passed over',
    dot: fork('weight=9', ''),
    script: { a: { suggested_next_ids: ['nobody', 'c', 'b'] } },
    path: 'a c',
  },
  { name: '19: the heavier edge wins', dot: fork('', 'weight=2'), path: 'a c' },
  { name: '19: a negative weight is lighter than none', dot: fork('weight=-1', ''), path: 'a c' },
  { name: '19: at equal weight the smaller target id wins', dot: fork('weight=2', 'weight=2'), path: 'a b' },
  {
    name: '19: target ids compare by code units',
    dot: pipeline('a', 'b', 'Z', 'start -> a', 'a -> b', 'a -> Z', 'b -> exit', 'Z -> exit'),
    path: 'a Z',
  },
  {
    name: '19: of several true conditions the weight decides, not the label',
    dot: fork('condition="outcome=success", label="Go"', 'condition="outcome!=fail", weight=1'),
    script: { a: { preferred_label: 'Go' } },
    path: 'a c',
  },
  {
    name: '19: of several true conditions with one weight the smaller id',
    dot: fork('condition="outcome!=fail", label="Go"', 'condition="outcome=success"').replace(
      /a -> b (.*)\na -> c (.*)/,
      'a -> c $2\na -> b $1',
    ),
    path: 'a b',
  },
  {
    name: '44h: a blank condition makes an edge unconditional',
    dot: fork('condition="  "', 'condition="outcome=fail", weight=9'),
    path: 'a b',
  },
  {
    name: '44i: a condition sees the updates of the stage that it leaves',
    dot: fork('condition="context.x=1"', 'weight=9'),
    script: { a: { context_updates: { x: 1 } } },
    path: 'a b',
  },
  {
    name: '44i: and the outcome of that stage, whatever its updates say',
    dot: fork('condition="outcome=success"', 'weight=9'),
    script: { a: { context_updates: { outcome: 'fail' } } },
    path: 'a b',
  },
  {
    name: '69: a preferred label of an earlier stage does not route',
    dot: pipeline(
      ...['a', 'b', 'c', 'd', 'start -> a -> b', 'b -> c [condition="preferred_label=Go"]', 'b -> d'],
      ...['c -> exit', 'd -> exit'],
    ),
    script: { a: { preferred_label: 'Go' } },
    path: 'a b d',
  },
];

/** Three edges to one node; the first of the file is edge 0, and leads to `a`. */
const parallelEdges = (...attributes: readonly [string, string, string]) =>
  pipeline('a', 'b', 'start -> a', ...attributes.map((each) => `a -> b [${each}]`), 'b -> exit');

interface EdgeCase {
  readonly name: string;
  readonly dot: string;
  readonly script?: object;
  readonly edge: number;
}

const amongEqualTargets: readonly EdgeCase[] = [
  {
    name: '19: of several true conditions with one target the first declared',
    dot: parallelEdges(
      'condition="outcome=fail"',
      'condition="outcome!=fail"',
      'condition="outcome=success"',
    ),
    edge: 2,
  },
  {
    name: '19: of several plain edges to one target the first declared',
    dot: parallelEdges('', '', ''),
    edge: 1,
  },
  { name: '19: unless a later one is heavier', dot: parallelEdges('', 'weight=1', 'weight=1'), edge: 2 },
  {
    name: '18b: of several edges to the suggested id the first declared, whatever they weigh',
    dot: parallelEdges('condition="outcome=fail"', '', 'weight=9'),
    script: { a: { suggested_next_ids: ['b'] } },
    edge: 2,
  },
];

describe('Edge selection (§3.3)', () => {
  testEach(selection, expectPath);

  testEach(amongEqualTargets, async ({ dot, script, edge }) => {
    const { events } = await runPipeline(dot, { ...(script && { script }) });
    expect(eventsOf(events, 'EdgeSelected').find(({ from }) => from === 'a')).toMatchObject({ edge });
  });

  test('54a: of several plain edges one is taken', async () => {
    const { events } = await runPipeline(fork('', ''));
    expect(eventsOf(events, 'EdgeSelected').filter(({ from }) => from === 'a')).toMatchObject([
      { to: 'b', reason: 'weight' },
    ]);
  });

  test('74: the event tells the edge and why it was taken', async () => {
    const dot = fork('condition=" outcome = success ", label="Go"', '');
    const { events } = await runPipeline(dot);
    expect(eventsOf(events, 'EdgeSelected').find(({ from }) => from === 'a')).toMatchObject({
      from: 'a',
      to: 'b',
      reason: 'condition',
      edge: 1,
      label: 'Go',
      condition: 'outcome = success',
    });
  });
});
