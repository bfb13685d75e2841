import { describe, expect, test } from 'vitest';
import { attributeText, type Graph } from '../../src/graph/graph.js';
import { lower } from '../../src/graph/lower.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { testEach } from '../run/harness.js';

function lowered(...statements: readonly string[]) {
  return lower(parseDot(`digraph G {\n${statements.join('\n')}\n}`).document);
}

const attributesOf = (holder: Pick<Graph, 'attributes'> | undefined) =>
  Object.fromEntries(
    [...(holder?.attributes ?? [])].map(([name, { value }]) => [name, attributeText(value)]),
  );

interface DefaultsCase {
  readonly name: string;
  readonly statements: readonly string[];
  /** The attributes of each node that is named. */
  readonly nodes: Readonly<Record<string, object>>;
}

const defaults: readonly DefaultsCase[] = [
  {
    name: '17a: defaults are for nodes that are declared later',
    statements: ['a', 'node [shape=diamond]', 'b'],
    nodes: { a: {}, b: { shape: 'diamond' } },
  },
  {
    name: '17a: a later default adds to an earlier one, and overrides it',
    statements: ['node [shape=diamond, class=x]', 'a', 'node [shape=box]', 'b'],
    nodes: { a: { shape: 'diamond', class: 'x' }, b: { shape: 'box', class: 'x' } },
  },
  {
    name: "17a: a node's own attributes win over the defaults",
    statements: ['node [shape=diamond]', 'a [shape=box]'],
    nodes: { a: { shape: 'box' } },
  },
  {
    name: '17a: a mention in an edge is not a declaration',
    statements: ['a -> b', 'node [shape=diamond]', 'a'],
    nodes: { a: { shape: 'diamond' } },
  },
  {
    name: '7, 17a: an implicit node has the defaults of its first mention',
    statements: ['node [class=x]', 's -> a', 'node [class=y]', 'a -> t'],
    nodes: { a: { class: 'x' } },
  },
  {
    name: '17b: a second declaration merges, without the defaults',
    statements: ['a [label=one, class=x]', 'node [shape=diamond]', 'a [label=two]'],
    nodes: { a: { label: 'two', class: 'x' } },
  },
  {
    name: '17c: a subgraph inherits the defaults around it and does not leak its own',
    statements: ['node [class=x]', 'subgraph s { node [shape=diamond] a }', 'b'],
    nodes: { a: { class: 'x', shape: 'diamond' }, b: { class: 'x' } },
  },
  {
    name: '17c: defaults after the subgraph do not reach into it',
    statements: ['subgraph s { a }', 'node [class=x]', 'b'],
    nodes: { a: {}, b: { class: 'x' } },
  },
  {
    name: '17c: nested scopes',
    statements: ['node [class=x]', 'subgraph { node [class=y] subgraph { node [class=z] a } b }', 'c'],
    nodes: { a: { class: 'z' }, b: { class: 'y' }, c: { class: 'x' } },
  },
  {
    name: '17g: names that objects have of their own',
    statements: ['__proto__ [constructor=1, label=x]', 'toString'],
    nodes: { toString: {} },
  },
];

describe('2.10, 2.11: defaults', () => {
  testEach(defaults, ({ statements, nodes }) => {
    const { graph } = lowered(...statements);
    for (const [id, attributes] of Object.entries(nodes)) {
      expect(attributesOf(graph.nodes.get(id)), id).toEqual(attributes);
    }
  });

  test('17a: edge defaults are for the edges that follow', () => {
    const { graph } = lowered(
      'a -> b',
      'edge [weight=2]',
      'b -> c -> d [label=x]',
      'subgraph { edge [weight=3] c -> a }',
      'd -> a',
    );
    expect(graph.edges.map((edge) => attributesOf(edge))).toEqual([
      {},
      { weight: '2', label: 'x' },
      { weight: '2', label: 'x' },
      { weight: '3' },
      { weight: '2' },
    ]);
  });

  test('17g: every name is an ordinary one', () => {
    const { graph } = lowered('__proto__ [constructor=1]', 'a -> __proto__ -> hasOwnProperty -> a');
    expect([...graph.nodes.keys()]).toEqual(['__proto__', 'a', 'hasOwnProperty']);
    expect(graph.nodes.get('__proto__')?.attributes.get('constructor')?.value).toBe(1);
  });

  test('the origin of a value tells a default from what the node says itself', () => {
    const { graph } = lowered('node [class=x, shape=box]', 'a [shape=box]');
    expect(graph.nodes.get('a')?.attributes.get('class')?.origin).toBe('default');
    expect(graph.nodes.get('a')?.attributes.get('shape')?.origin).toBe('explicit');
  });
});

describe('2.9: edges', () => {
  test('a chain is an edge for each pair, all with the same attributes', () => {
    const { graph } = lowered('a -> b -> c [label=x, weight=1]');
    expect(graph.edges.map(({ index, from, to }) => [index, from, to])).toEqual([
      [0, 'a', 'b'],
      [1, 'b', 'c'],
    ]);
    expect(graph.edges.map((edge) => attributesOf(edge))).toEqual([
      { label: 'x', weight: '1' },
      { label: 'x', weight: '1' },
    ]);
  });

  test('17f: two edges between the same nodes are two', () => {
    const { graph } = lowered('a -> b [label=x]', 'a -> b [label=y]');
    expect(graph.edges.map((edge) => attributesOf(edge).label)).toEqual(['x', 'y']);
  });

  test.each([
    ['a -> b', []],
    ['a -> b -> c', ['b']],
    ['a -> b\nb -> c\nc -> a', ['a', 'b', 'c']],
    ['a -> a', ['a']],
    ['a\na -> b', ['a']],
  ])('7: %j makes the nodes %j', (text, ids) => {
    expect([...lowered(text).graph.nodes.keys()]).toEqual(ids);
  });
});

describe('2.10, 2.12, 17d: classes', () => {
  test.each([
    ['Loop A', 'loop-a'],
    ['  Two  blanks ', '--two--blanks-'],
    ['Code & Review!', 'code--review'],
    ['v2.0_beta', 'v20beta'],
    ['Größe', 'gre'],
    ['-x-', '-x-'],
    ['!!!', undefined],
    ['', undefined],
  ])('the label %j gives the class %j', (label, derived) => {
    const { graph } = lowered(`subgraph { label=${JSON.stringify(label)} a }`);
    expect(graph.subgraphs[0]?.derivedClass).toBe(derived);
    expect(graph.nodes.get('a')?.classes).toEqual(derived === undefined ? [] : [derived]);
  });

  interface ClassCase {
    readonly name: string;
    readonly statement: string;
    readonly classes: readonly string[];
  }
  const cases: readonly ClassCase[] = [
    { name: 'its own, separated by commas', statement: 'a [class="x, y,,x"]', classes: ['x', 'y'] },
    {
      name: 'its own first, then that of the subgraph',
      statement: 'subgraph { label=S a [class=x] }',
      classes: ['x', 's'],
    },
    { name: 'wherever the label stands', statement: 'subgraph { a label=S }', classes: ['s'] },
    { name: 'from graph [label=…] too', statement: 'subgraph { graph [label=S] a }', classes: ['s'] },
    {
      name: 'of all subgraphs around it, outer first',
      statement: 'subgraph { label=Outer subgraph { label=Inner a } }',
      classes: ['outer', 'inner'],
    },
    {
      name: 'of every subgraph that declares it',
      statement: 'subgraph { label=One a } subgraph { label=Two a }',
      classes: ['one', 'two'],
    },
    {
      name: 'not of a subgraph that only mentions it',
      statement: 'a subgraph { label=S a -> b }',
      classes: [],
    },
    { name: 'each once', statement: 'subgraph { label=S a [class=s] }', classes: ['s'] },
  ];
  testEach(cases, ({ statement, classes }) => {
    expect(lowered(statement).graph.nodes.get('a')?.classes).toEqual(classes);
  });

  test("17c: a subgraph's label is not the pipeline's, nor are its other attributes", () => {
    const { graph, diagnostics } = lowered('label=Mine', 'subgraph s { label=Yours rank=same goal=x a }');
    expect(attributesOf(graph)).toEqual({ label: 'Mine' });
    expect(graph.subgraphs[0]).toMatchObject({ name: 's', nodeIds: ['a'] });
    expect(attributesOf(graph.subgraphs[0])).toEqual({ label: 'Yours', rank: 'same', goal: 'x' });
    expect(diagnostics.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
      'warning subgraph_attribute',
    ]);
  });
});

describe('findings', () => {
  test.each([
    ['17: a key twice in one block', 'a [label=x, label=y]', ['warning duplicate_attribute'], { label: 'y' }],
    ['17b: another value', 'a [label=x]\na [label=y]', ['info node_redeclared'], { label: 'y' }],
    ['17b: the same value', 'a [label=x]\na [label=x]', [], { label: 'x' }],
    ['17b: the same duration', 'a [timeout="900s"]\na [timeout=900]', [], { timeout: '900s' }],
    ['17b: another value than a default', 'node [label=x]\na\na [label=y]', [], { label: 'y' }],
  ])('%s', (_name, text, findings, attributes) => {
    const { graph, diagnostics } = lowered(text);
    expect(diagnostics.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(findings);
    expect(attributesOf(graph.nodes.get('a'))).toEqual(attributes);
  });
});
