import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { translateExpression } from '../../src/importers/hive/hive-conditions.js';
import { migrate } from '../../src/importers/migrate.js';

interface GraphParts {
  readonly nodes?: readonly object[];
  readonly edges?: readonly object[];
  readonly more?: object;
  readonly top?: object;
}

/** A graph with the nodes a and b, and an edge between them. */
function graph({
  nodes = [{ id: 'a' }, { id: 'b' }],
  edges = [{ source: 'a', target: 'b', condition: 'on_success' }],
  more = {},
  top = {},
}: GraphParts): string {
  return JSON.stringify(
    { ...top, graph: { id: 'g', entry_node: 'a', terminal_nodes: ['b'], ...more, nodes, edges } },
    undefined,
    1,
  );
}

function migrated(text: string) {
  const result = migrate(text)?.result;
  if (result?.kind !== 'migrated') throw new Error(`not migrated: ${JSON.stringify(result)}`);
  return result;
}

const edge = (condition: string, more: object = {}) => [{ source: 'a', target: 'b', condition, ...more }];
const three = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];
const fan = [
  ...['b', 'c'].map((target) => ({ source: 'a', target, condition: 'on_success' })),
  ...['b', 'c'].map((source) => ({ source, target: 'd', condition: 'on_success' })),
];

/** What is written of a graph. */
const cases: readonly (readonly [what: string, text: string, written: string])[] = [
  [
    'instructions and values',
    graph({ nodes: [{ id: 'a', system_prompt: 'Do ${this}', input_keys: ['x'] }, { id: 'b' }] }),
    'prompt="Do $${this}\n\nx: ${context.x}"',
  ],
  [
    'values in double braces',
    graph({ nodes: [{ id: 'a', system_prompt: 'Do {{x}} {{y}}', input_keys: ['x'] }, { id: 'b' }] }),
    'Do ${context.x} {{y}}',
  ],
  [
    'outputs',
    graph({ nodes: [{ id: 'a', output_keys: ['x', 'y'], nullable_output_keys: ['y'] }, { id: 'b' }] }),
    'writes="x, y?"',
  ],
  [
    'inputs of the run',
    graph({ nodes: [{ id: 'a', input_keys: ['x', 'y'] }, { id: 'b' }] }),
    'inputs="x?, y?"',
  ],
  ['attempts', graph({ nodes: [{ id: 'a', max_retries: 3 }, { id: 'b' }] }), 'max_retries=2'],
  ['visits', graph({ nodes: [{ id: 'a', max_node_visits: 3 }, { id: 'b' }] }), 'max_visits=3'],
  [
    'a node that talks',
    graph({ nodes: [{ id: 'a', client_facing: true }, { id: 'b' }] }),
    'interactive=true',
  ],
  [
    'who the agent is',
    graph({ more: { identity_prompt: 'You are kind', conversation_mode: 'continuous' } }),
    'system_prompt="You are kind", default_fidelity=full, default_thread_id=conversation',
  ],
  [
    'an edge for successes',
    graph({ edges: [...edge('on_success', { priority: 2 }), ...edge('on_failure')] }),
    'a -> b [condition="outcome=success", weight=2]',
  ],
  ['an edge for failures', graph({ edges: edge('on_failure') }), 'a -> b [condition="outcome=fail"]'],
  ['an edge that is always taken', graph({ edges: edge('always') }), 'a [prompt=a, on_failure=continue]'],
  [
    'a condition',
    graph({
      nodes: [{ id: 'a', output_keys: ['x'] }, { id: 'b' }],
      edges: edge('conditional', { condition_expr: "x == 'y'" }),
    }),
    'condition="outcome=success && context.x = y"',
  ],
  [
    'branches',
    graph({ nodes: three, edges: fan, more: { terminal_nodes: ['d'] } }),
    'fork_a [shape=component, join_policy=quorum, join_quorum=1, on_conflict=last_wins]',
  ],
  ['a pause', graph({ more: { pause_nodes: ['a'] } }), 'pause_a [shape=hexagon, label="Continue after a?"]'],
  [
    'a pause with an entry of its own',
    graph({ edges: [], more: { pause_nodes: ['a'], entry_points: { a_resume: 'b' } } }),
    'a -> pause_a\n    pause_a -> b',
  ],
  [
    'keys that an edge renames',
    graph({ edges: edge('on_success', { input_mapping: { to: 'from' } }) }),
    '"assign.to"="${context.from}"',
  ],
  [
    'ids of other languages',
    graph({
      nodes: [{ id: 'a' }, { id: 'two-words' }],
      edges: [{ source: 'a', target: 'two-words' }],
      more: { terminal_nodes: ['two-words'] },
    }),
    'a -> two_words\n    two_words -> done',
  ],
  [
    'a node called start',
    graph({
      nodes: [{ id: 'start' }, { id: 'end' }],
      edges: [{ source: 'start', target: 'end' }],
      more: { entry_node: 'start', terminal_nodes: ['end'] },
    }),
    'start -> start_\n    start_ -> end_\n    end_ -> done',
  ],
  [
    'the end of a run',
    graph({ edges: [{ source: 'a', target: 'END' }], nodes: [{ id: 'a' }], more: { terminal_nodes: [] } }),
    'a -> done',
  ],
  [
    'the older form',
    JSON.stringify({
      nodes: [{ node_id: 'a' }, { node_id: 'b' }],
      edges: [{ from: 'a', to: 'b', condition: 'on_success' }],
      terminal_nodes: ['b'],
    }),
    'a -> b [condition="outcome=success"]',
  ],
];

describe('a graph of Hive', () => {
  test.each(cases)('is DOT: %s', (_, text, written) => {
    const { text: dot } = migrated(text);
    expect(dot).toContain(written);
    expect(compile(dot).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test.each([
    [graph({ nodes: [{ id: 'a', tools: ['web_search'] }, { id: 'b' }] }), 'tools web_search'],
    [graph({ nodes: [{ id: 'a', max_node_visits: 3 }, { id: 'b' }] }), 'fails the run; Hive skips it'],
    [graph({ nodes: [{ id: 'a', node_type: 'function' }, { id: 'b' }] }), 'calls a function there'],
    [graph({ nodes: [{ id: 'a', sub_agents: ['c'] }, { id: 'b' }, { id: 'c' }] }), 'nothing leads to "c"'],
    [
      graph({ edges: [...edge('on_success'), { source: 'a', target: 'zz', condition: 'on_failure' }] }),
      'to "zz": there is no such node',
    ],
    [
      graph({ edges: edge('conditional', { condition_expr: 'lambda: 1' }) }),
      'has no counterpart: the edge is never taken',
    ],
    [graph({ edges: edge('conditional', { condition_expr: 'nobody == 1' }) }), 'nothing sets "nobody"'],
    [
      graph({
        edges: [
          { source: 'a', target: 'b' },
          { source: 'b', target: 'a' },
        ],
        more: { terminal_nodes: [] },
      }),
      'nothing ends this graph but its limit of steps',
    ],
  ])('has a comment for what is lost: %#', (text, message) => {
    const { text: dot, notes } = migrated(text);
    const note = notes.find((one) => one.message.includes(message));
    expect(note?.kind).toMatch(/lost|changed/);
    expect(dot).toContain(`// migrated: ${note?.message}`);
  });
});

const keys = new Set(['x', 'y', 'items', 's']);

describe('a condition in Python', () => {
  test.each([
    ["str(x).lower() == 'true'", '(context.x = true || context.x = True || context.x = TRUE)'],
    ["str(x).lower() != 'true'", 'context.x != true && context.x != True && context.x != TRUE'],
    ["str(x).strip() not in ('', 'None')", 'context.x != "" && context.x != None'],
    ["x in ['A', 'B']", '(context.x = A || context.x = B)'],
    ['int(x) >= 80 and y is None', 'context.x >= 80 && !(exists context.y)'],
    ['not (x or y)', '!(context.x || context.y)'],
    ['1 < x < 10', 'context.x > 1 && context.x < 10'],
    ["output.get('x') == True", 'context.x = true'],
    ["output['x'] is not None", 'exists context.x'],
    ["'a' in s", 'context.s contains a'],
    ['items[0]', 'context.items.0'],
    ['x == y', 'context.x = context.y'],
    ['True', 'true'],
  ])('is one of this language: %s', (expression, condition) => {
    expect(translateExpression(expression, keys)?.condition).toBe(condition);
  });

  test.each([
    ['x if y else x'],
    ['lambda: 1'],
    ['x +'],
    ['x ** 2 == 4'],
    ['max(1, 2)'],
    ['(x'],
    ['x == [1]'],
    [`${'('.repeat(1000)}x`],
  ])('is refused: %s', (expression) => {
    expect(translateExpression(expression, keys)).toBeUndefined();
  });

  test('is never true with a name that nothing sets', () => {
    expect(translateExpression('x == z', keys)).toEqual({ condition: 'false', undefinedName: 'z' });
  });
});

describe('a text that is not a graph of Hive', () => {
  test.each([
    ['{ "nodes": [], "edges": [] }', 'it has no nodes'],
    ['{ "nodes": [{}], "edges": [] }', 'this node has no "id"'],
    [
      '{ "nodes": [{ "id": "a" }], "edges": [], "entry_node": "b" }',
      '"entry_node" names "b", which is not a node',
    ],
    ['{ "nodes": [ }, "edges": [] }', 'not valid JSON'],
    ['{ "nodes": [], "nodes": [], "edges": [] }', 'Map keys must be unique'],
    [`{ "nodes": [], "edges": [] ${' '.repeat(1_100_000)}}`, 'characters; pipelines of up to'],
  ])('has an error with a position: %#', (text, message) => {
    const result = migrate(text)?.result;
    if (result?.kind !== 'unreadable') throw new Error('expected an error');
    expect(result.diagnostics[0]?.message).toContain(message);
  });

  test.each([['{ "name": "x", "version": 1 }'], ['[1, 2]'], ['{ "nodes": 5 }']])(
    'is not recognized: %s',
    (text) => {
      expect(migrate(text)).toBeUndefined();
    },
  );
});
