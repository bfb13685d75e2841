import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Graph } from '../../src/graph/graph.js';
import { guardRule, guardTransform } from '../../src/plugins/guard.js';

const text = 'digraph G { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }';

describe('9.3: a transform of a plugin', () => {
  test('47d: works as it is, by either name of its method', () => {
    const rename = (graph: Graph): Graph => ({ ...graph, name: `${graph.name}2` });
    const transforms = [{ name: 'a', apply: rename }, { transform: rename }].map((transform, index) =>
      guardTransform(transform, 'p', index),
    );
    expect(compile(text, { transforms }).graph.name).toBe('G22');
    expect(transforms.map(({ name }) => name)).toEqual(['a', 'transforms[1]']);
  });

  const start = (graph: Graph) => graph.nodes.get('start');
  test.each<[what: string, apply: (graph: Graph) => unknown, message: RegExp]>([
    [
      'throws',
      () => {
        throw new TypeError('boom');
      },
      /^the transform "t" of the plugin "p" failed: TypeError: boom \(.*guard\.test\.ts:\d+\)$/,
    ],
    ['gives nothing', () => undefined, /returned no graph: expected an object, found undefined/],
    ['gives a promise', (graph) => Promise.resolve(graph), /found a promise of one/],
    ['gives half of it', ({ nodes }) => ({ nodes }), /"attributes" is not a Map/],
    ['gives nodes as an object', (graph) => ({ ...graph, nodes: {} }), /"nodes" is not a Map/],
    ['gives edges as a Map', (graph) => ({ ...graph, edges: new Map() }), /"edges" is not a list/],
    [
      'puts a node under another id',
      (graph) => ({ ...graph, nodes: new Map([['other', start(graph)]]) }),
      /the node under "other" has the id "start"/,
    ],
    [
      'gives attributes as an object',
      (graph) => ({ ...graph, nodes: new Map([['start', { ...start(graph), attributes: {} }]]) }),
      /the attributes of the node "start" are not a Map/,
    ],
    [
      'does not count the edges',
      (graph) => ({ ...graph, edges: [...graph.edges, ...graph.edges] }),
      /edges\[1\] has the index 0/,
    ],
  ])('that %s is told so', (_what, apply, message) => {
    const transform = guardTransform({ name: 't', apply: apply as never }, 'p', 0);
    expect(() => compile(text, { transforms: [transform] })).toThrow(message);
  });
});

describe('7.4: a lint rule of a plugin', () => {
  const rule = { name: 'r', severity: 'warning', summary: 's', rationale: 'w', provesAbsence: true } as const;

  test('works as it is', () => {
    const guarded = guardRule({ ...rule, apply: (graph) => [{ message: 'm', span: graph.nameSpan }] }, 'p');
    expect(guarded).toMatchObject(rule);
    expect(compile(text, { rules: [guarded] }).diagnostics).toMatchObject([
      { rule: 'r', severity: 'warning', message: 'm', span: { start: 8, end: 9 } },
    ]);
  });

  test.each<[what: string, apply: (graph: Graph) => unknown, message: RegExp]>([
    [
      'throws while it yields',
      function* () {
        yield* [];
        throw new Error('boom');
      },
      /^the lint rule "r" of the plugin "p" failed: boom/,
    ],
    ['gives nothing', () => undefined, /returned nothing; expected a list of findings/],
    ['gives one finding', () => ({ message: 'm' }), /failed: TypeError: .*not iterable/],
    ['gives a finding without a place', () => [{ message: 'm' }], /returned a finding without "span"/],
    [
      'gives a finding without words',
      ({ nameSpan }) => [{ span: nameSpan }],
      /returned a finding without "message"/,
    ],
    ['gives undefined for a finding', () => [undefined], /returned a finding without "message"/],
  ])('that %s is told so', (_what, apply, message) => {
    const guarded = guardRule({ ...rule, apply: apply as never }, 'p');
    expect(() => compile(text, { rules: [guarded] })).toThrow(message);
  });
});
