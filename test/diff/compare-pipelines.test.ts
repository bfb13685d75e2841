import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { comparePipelines, isEqual } from '../../src/diff/compare-pipelines.js';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';

function compared(body: string) {
  const { graph } = compile(`digraph p { start [shape=Mdiamond]; exit [shape=Msquare]; ${body} }`);
  return { graph, handlerTypes: knownHandlerTypes(), hasProperties: false };
}

function difference(before: string, after: string) {
  return comparePipelines(compared(before), compared(after));
}

const base =
  'graph [on_failure=stop]; a [prompt="Write it", timeout="15m"]; b [shape=hexagon, label="Fine?"]; start -> a -> b; b -> exit [label="Yes"]; b -> a [label="No"]';

describe('two versions with one meaning', () => {
  test.each([
    [
      'other order and layout',
      'b [label="Fine?", shape=hexagon]; a [timeout="15m", prompt="Write it"]; graph [on_failure=stop]; start -> a; a -> b; b -> exit [label="Yes"]; b -> a [label="No"]',
    ],
    ['another unit', base.replace('15m', '900s')],
    [
      'colours and positions',
      base.replace('a [', 'a [fillcolor=red, pos="1,1", ').replace('graph [', 'graph [rankdir=LR, '),
    ],
    ['a default that is written', base.replace('a [', 'a [allow_partial=false, shape=box, ')],
  ])('146: %s', (_, after) => {
    expect(isEqual(difference(base, after))).toBe(true);
  });

  test('146: a model that moves into a stylesheet, or to the graph', () => {
    const own = base.replace('a [', 'a [llm_model=m, llm_provider=p, ');
    const sheet = base.replace(
      'graph [',
      'graph [model_stylesheet="#a { llm_model: m; llm_provider: p; }", ',
    );
    const ofGraph = base.replace('graph [', 'graph [llm_model=m, llm_provider=p, ');
    expect([isEqual(difference(own, sheet)), isEqual(difference(own, ofGraph))]).toEqual([true, true]);
  });

  test('146: operands of a condition in another order', () => {
    const of = (condition: string) => `start -> a; a -> exit [condition="${condition}"]; a -> a`;
    expect(
      isEqual(difference(of('outcome=success && context.x=1'), of('context.x = 1  &&  outcome=success'))),
    ).toBe(true);
  });
});

describe('two versions that differ', () => {
  test('146: compares prompts by words, and values by their effect', () => {
    const { nodes } = difference(base, base.replace('Write it', 'Write all of it').replace('15m', '20m'));
    expect(nodes.changed.map(({ id, changes }) => [id, changes.map(({ name }) => name)])).toEqual([
      ['a', ['prompt', 'timeout']],
    ]);
    expect(nodes.changed[0]?.changes[0]?.words?.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'added', text: 'all of ' },
    ]);
  });

  test('146: knows a stage that was renamed, with its edges and the names of it', () => {
    const before = `${base}; c [prompt="x", retry_target=a]; exit2 [prompt="y"]; start -> c -> exit`;
    const { nodes, edges } = difference(before, before.replaceAll(/\ba\b/g, 'author'));
    expect([nodes.renamed, nodes.added, nodes.removed, nodes.changed]).toEqual([
      [{ from: 'a', to: 'author' }],
      [],
      [],
      [],
    ]);
    expect([edges.added, edges.removed, edges.changed]).toEqual([[], [], []]);
  });

  test('146: does not guess where two stages may be the renamed one', () => {
    const twins = (...ids: readonly string[]) =>
      ids.map((id) => `${id} [prompt="Same"]; start -> ${id} -> exit`).join(';');
    const { nodes } = difference(twins('a', 'b'), twins('c', 'd'));
    expect([nodes.renamed, nodes.added, nodes.removed]).toEqual([[], ['c', 'd'], ['a', 'b']]);
  });

  test('146: an edge that leads elsewhere was changed, one without a mark was replaced', () => {
    const more = `${base}; c [prompt="x"]; c -> exit`;
    const { edges } = difference(
      more,
      more.replace('b -> a [label="No"]', 'b -> c [label="No"]').replace('c -> exit', 'c -> a'),
    );
    expect(edges.changed.map(({ from, to, led_to }) => [from, to, led_to])).toEqual([['b', 'c', 'a']]);
    expect(
      [edges.added, edges.removed].map((list) => list.map(({ from, to }) => `${from} -> ${to}`)),
    ).toEqual([['c -> a'], ['c -> exit']]);
  });

  test('146: the order of the choices of a gate, and retries as they come out', () => {
    const [yes, no] = ['b -> exit [label="Yes"]', 'b -> a [label="No"]'];
    const swapped = base.replace(`${yes}; ${no}`, `${no}; ${yes}`);
    expect(difference(base, swapped).nodes.changed.map(({ id, changes }) => [id, changes[0]?.name])).toEqual([
      ['b', 'order of edges'],
    ]);
    const retried = difference(base, base.replace('graph [', 'graph [default_max_retries=2, '));
    expect(retried.nodes.changed.find(({ id }) => id === 'a')?.changes[0]).toMatchObject({
      name: 'attempts',
      before: undefined,
      after: '3',
    });
    expect(retried.pipeline).toEqual([]);
  });
});
