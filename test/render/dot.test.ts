import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { handlerTypes } from '../../src/graph/handler-types.js';
import { toGraphvizDot } from '../../src/render/dot.js';
import { palettes } from '../../src/render/theme.js';
import { fc } from '../support/fast-check.js';
import { buildGraph, type GraphData } from './build-graph.js';
import { readByGraphviz } from './graphviz-reading.js';

const read = (data: GraphData) => readByGraphviz(toGraphvizDot(buildGraph(data)));

async function nodeWith(attributes: NonNullable<GraphData['attributes']>) {
  const { nodes } = await read({ nodes: [['n', attributes]] });
  return nodes.get('n') ?? {};
}

async function edgeWith(attributes: NonNullable<GraphData['attributes']>) {
  const { edges } = await read({ nodes: [['a'], ['b']], edges: [['a', 'b', attributes]] });
  return edges[0];
}

const examples = new URL('../../examples/spec/', import.meta.url);
const example = (name: string) => compile(readFileSync(new URL(`${name}.dot`, examples), 'utf8')).graph;

test.each(['branch', 'stylesheet'])('the example %s (§2.13, §8.6)', async (name) => {
  await expect(toGraphvizDot(example(name))).toMatchFileSnapshot(`snapshots/${name}.gv`);
});

describe('§1.2: Graphviz draws every node and every edge once', () => {
  test.each(['simple', 'branch', 'human-gate', 'stylesheet', 'smoke-test'])(
    'of the example %s',
    async (name) => {
      const graph = example(name);
      const { nodes, edges } = await readByGraphviz(toGraphvizDot(graph));
      expect([...nodes.keys()].sort()).toEqual([...graph.nodes.keys()].sort());
      expect([...nodes].map(([id, node]) => node.id === `node-${id}`)).not.toContain(false);
      expect(edges.map(({ id, from, to }) => [id, from, to]).sort()).toEqual(
        graph.edges.map(({ index, from, to }) => [`edge-${index}`, from, to]).sort(),
      );
    },
  );

  test.each([
    '__proto__',
    'constructor',
    'graph',
    'node',
    'edge',
    'digraph',
    'subgraph',
    'strict',
    'a:b',
    'ä "x"\\',
  ])('a node may be called %s', async (id) => {
    const { nodes, edges } = await read({ nodes: [[id], ['b']], edges: [[id, 'b']] });
    expect(nodes.size).toBe(2);
    expect(edges.map(({ to }) => to)).toEqual(['b']);
    expect([...nodes.values()].map((node) => node.label)).toContain(id.replace('\\', '\\\\'));
  });

  test('several edges between the same two nodes', async () => {
    const { edges } = await read({
      nodes: [['a'], ['b']],
      edges: [
        ['a', 'b'],
        ['a', 'b'],
        ['b', 'b'],
      ],
    });
    expect(edges.map(({ id }) => id)).toEqual(['edge-0', 'edge-1', 'edge-2']);
  });

  test('an id that nobody declares is drawn as a mistake', async () => {
    const { nodes } = await read({ nodes: [['a']], edges: [['a', 'tpyo']] });
    expect(nodes.get('tpyo')).toMatchObject({ class: 'kind-undeclared', style: 'filled,rounded,dashed' });
  });

  test('a pipeline without anything in it', async () => {
    expect((await read({ name: '' })).nodes.size).toBe(0);
  });
});

describe('§2.8: the handler type decides the shape', () => {
  const shaped = handlerTypes.flatMap((row) => ('shape' in row ? [[row.type, row.shape] as const] : []));

  test.each(shaped)('%s is a %s', async (type, shape) => {
    const byShape = await nodeWith({ shape });
    const byType = await nodeWith({ type });
    expect([byShape.shape ?? 'box', byType.shape ?? 'box']).toEqual([shape, shape]);
    expect(byShape.class).toBe(`kind-${type.replaceAll(/[._]/g, '-')}`);
    expect(byType.fillcolor).toBe(byShape.fillcolor);
  });

  test('a registered type is a box of its own colour that names the type', async () => {
    const graph = buildGraph({ nodes: [['n', { type: 'acme.deploy', shape: 'house' }]] });
    const drawn = await readByGraphviz(toGraphvizDot(graph, { handlerTypes: ['acme.deploy'] }));
    const node = drawn.nodes.get('n');
    expect(node).toMatchObject({ class: 'kind-custom', fillcolor: palettes.light.kinds.custom.fill });
    expect(node?.label).toContain('acme.deploy');
  });
});

describe('a node shows', () => {
  test.each([
    ['its label', { label: 'Run Tests' }, 'Run Tests'],
    ['its id where it has no label', {}, 'n'],
    ['its id where its label is blank', { label: ' ' }, 'n'],
    [
      'its label in lines',
      { label: 'Plan the implementation of the feature' },
      String.raw`Plan the implementation\nof the feature`,
    ],
  ])('%s', async (_, attributes, label) => expect((await nodeWith(attributes)).label).toBe(label));

  test('its model, if it is an LLM stage', async () => {
    expect((await nodeWith({ llm_model: 'claude-opus-4-6' })).label).toContain('claude-opus-4-6');
    expect((await nodeWith({ llm_model: 'claude-opus-4-6', shape: 'hexagon' })).label).not.toContain(
      'claude',
    );
  });

  test('that it is a goal gate', async () => {
    const gate = await nodeWith({ goal_gate: true });
    expect(gate).toMatchObject({ peripheries: '2', class: 'kind-codergen goal-gate' });
    expect(gate.label).toContain('goal gate');
    expect(await nodeWith({ goal_gate: false })).not.toHaveProperty('peripheries');
  });
});

describe('an edge shows', () => {
  test('its label and its condition, one below the other', async () => {
    const edge = await edgeWith({ label: '[A] Approve', condition: 'outcome=success && context.a<3' });
    expect(edge?.label).toMatch(/\[A\] Approve<.*FACE="Courier">outcome=success &amp;&amp; context\.a&lt;3</);
    expect(edge?.class).toBe('conditional');
  });

  test('nothing where it has neither', async () => {
    expect(await edgeWith({ label: '', condition: ' ' })).not.toHaveProperty('label');
  });

  test('that it restarts the run', async () => {
    expect(await edgeWith({ loop_restart: true })).toMatchObject({ style: 'dashed', class: 'loop-restart' });
  });

  test('its weight, within bounds', async () => {
    const widths = await Promise.all(
      [-5, 0, 1, 2, 10, 100, 1e9].map(async (weight) =>
        Number((await edgeWith({ weight }))?.penwidth ?? 1.1),
      ),
    );
    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect(widths.slice(0, 3)).toEqual([1.1, 1.1, 1.28]);
    expect(widths.at(-1)).toBe(2.3);
  });
});

describe('the cosmetics of the author', () => {
  test('are honoured where they make sense', async () => {
    const node = await nodeWith({
      color: 'red',
      fillcolor: '#FFEEDD',
      fontcolor: 'navy',
      style: 'dashed, bold',
      penwidth: 3,
    });
    expect(node).toMatchObject({ color: 'red', fillcolor: '#ffeedd', fontcolor: 'navy', penwidth: '3' });
    expect(node).toMatchObject({ style: 'filled,rounded,dashed,bold', class: 'kind-codergen own-fill' });
    const edge = await edgeWith({ color: 'blue', fontcolor: 'blue', style: 'dotted', label: 'x' });
    expect(edge).toMatchObject({ color: 'blue', fontcolor: 'blue', style: 'dotted' });
  });

  test('a filled node without a fill colour is filled with its border colour, as in Graphviz', async () => {
    expect(await nodeWith({ style: 'filled', color: 'pink' })).toMatchObject({
      color: 'pink',
      fillcolor: 'pink',
    });
  });

  test('are left out where they would hide or break something', async () => {
    const plain = await nodeWith({});
    const odd = {
      style: 'invis',
      color: 'url(#x)',
      fillcolor: '"/>',
      penwidth: 'wide',
      fontname: 'Wingdings',
      URL: 'javascript:1',
      image: 'x.png',
      width: 90,
    };
    expect(await nodeWith(odd)).toEqual(plain);
  });

  test.each([
    ['LR', 'LR'],
    ['lr', 'LR'],
    ['BT', 'BT'],
    ['sideways', 'TB'],
    ['', 'TB'],
  ])('rankdir=%s', async (rankdir, drawn) => {
    expect((await read({ attributes: { rankdir } })).graph.rankdir).toBe(drawn);
  });
});

describe('§2.10: subgraphs are boxes', () => {
  const nodes = [['a'], ['b'], ['c'], ['d']] as const;

  test('nested, with their labels, and with nodes that no edge mentions', async () => {
    const { boxes } = await read({
      nodes,
      subgraphs: [
        { name: 'cluster_outer', attributes: { label: 'Outer & more' }, nodeIds: ['a'] },
        { parent: 0, attributes: { label: 'Inner' }, nodeIds: ['b', 'c'] },
      ],
    });
    expect(boxes.get('cluster_0')).toMatchObject({
      attributes: { id: 'cluster-0' },
      nodeIds: ['a', 'b', 'c'],
    });
    expect(boxes.get('cluster_0')?.attributes.label).toContain('Outer &amp; more');
    expect(boxes.get('cluster_1')?.nodeIds).toEqual(['b', 'c']);
  });

  test('without a label only if they are called cluster', async () => {
    const { boxes } = await read({
      nodes,
      subgraphs: [
        { name: 'cluster', nodeIds: ['a'] },
        { name: 'defaults', nodeIds: ['b'] },
        { parent: 1, attributes: { label: 'in a scope' }, nodeIds: ['c'] },
      ],
    });
    expect([...boxes.keys()]).toEqual(['cluster_0', 'cluster_2']);
  });

  test('a node that two of them declare is in the first, or in the inner one', async () => {
    const { boxes } = await read({
      nodes,
      subgraphs: [
        { attributes: { label: 'first' }, nodeIds: ['a', 'b'] },
        { attributes: { label: 'second' }, nodeIds: ['a', 'c'] },
        { parent: 0, attributes: { label: 'inner' }, nodeIds: ['b'] },
      ],
    });
    const content = [...boxes].map(([name, { nodeIds }]) => [name, [...nodeIds].sort()]);
    expect(content).toEqual([
      ['cluster_0', ['a', 'b']],
      ['cluster_2', ['b']],
      ['cluster_1', ['c']],
    ]);
  });

  test('rank=same keeps nodes on one rank, and is left out across boxes', async () => {
    const chain = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ] as const;
    const heightOf = (node: Readonly<Record<string, string>> = {}) => Number(node.pos?.split(',')[1]);
    const same = await read({
      nodes,
      edges: chain,
      subgraphs: [{ attributes: { rank: 'same' }, nodeIds: ['b', 'c'] }],
    });
    expect(heightOf(same.nodes.get('b'))).toBe(heightOf(same.nodes.get('c')));
    const across = await read({
      nodes,
      edges: chain,
      subgraphs: [
        { attributes: { label: 'box' }, nodeIds: ['b'] },
        { attributes: { rank: 'same' }, nodeIds: ['b', 'c'] },
      ],
    });
    expect(across.boxes.get('cluster_0')?.nodeIds).toEqual(['b']);
    expect(heightOf(across.nodes.get('b'))).toBeGreaterThan(heightOf(across.nodes.get('c')));
  });
});

test('the title is the label of the pipeline, or its name, with the goal below', async () => {
  const titled = await read({ name: 'Internal', attributes: { label: 'Ship it', goal: 'Build <X> & ship' } });
  expect(titled.graph.label).toMatch(/<B>Ship it<\/B>.*Build &lt;X&gt; &amp; ship/);
  expect((await read({ name: 'Internal' })).graph.label).toContain('<B>Internal</B>');
});

test('only what Graphviz knows is passed on', () => {
  const secret = {
    thread_id: 'session-7',
    'human.default_choice': 'A',
    timeout: '15m',
    my_key: 'v',
    class: 'reviewers',
  };
  const dot = toGraphvizDot(
    buildGraph({ attributes: secret, nodes: [['n', secret]], edges: [['n', 'n', secret]] }),
  );
  for (const text of [...Object.keys(secret), ...Object.values(secret)].filter(
    (word) => word !== 'class' && word.length > 3,
  )) {
    expect(dot).not.toContain(text);
  }
});

test('dark colours, for those who ask for them', async () => {
  const dot = toGraphvizDot(buildGraph({ nodes: [['n']] }), { theme: 'dark' });
  expect((await readByGraphviz(dot)).graph.bgcolor).toBe(palettes.dark.page);
});

test('whatever the author writes, Graphviz accepts it, and it is the same each time', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('\\', '"', '<', '>', '&', '\n', '\r', ';', 'N', ' ', '/', '*', '\0'),
      maxLength: 20,
    }),
  );
  const attributes = fc.dictionary(
    fc.constantFrom(
      'label',
      'prompt',
      'tool_command',
      'condition',
      'goal',
      'llm_model',
      'type',
      'color',
      'style',
      'tooltip',
      'rankdir',
    ),
    text,
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(
      attributes,
      attributes,
      attributes,
      attributes,
      text,
      async (graph, node, edge, box, name) => {
        const data = {
          name,
          attributes: graph,
          nodes: [
            ['a', node],
            ['b', node],
          ],
          edges: [
            ['a', 'b', edge],
            ['b', 'a', edge],
          ],
          subgraphs: [{ attributes: box, nodeIds: ['a'] }],
        } satisfies GraphData;
        const dot = toGraphvizDot(buildGraph(data));
        const { nodes, edges } = await readByGraphviz(dot);
        expect([[...nodes.keys()].sort(), edges.length]).toEqual([['a', 'b'], 2]);
        expect(toGraphvizDot(buildGraph(data))).toBe(dot);
      },
    ),
    { numRuns: 150 },
  );
});
