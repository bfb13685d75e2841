import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { migrate } from '../../src/importers/migrate.js';

const head = 'tool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\n';

/** A graph with a node `a`, which leads to the end. */
const graph = (node: string, config = '', top = '') =>
  `${head}${top}config:\n  start: a\n${config}  nodes:\n    a:\n${node.replaceAll(/^/gm, '      ')}\n    done: { type: return }\n`;

const bash = (command: string) =>
  `action: { item_id: "tool:rye/bash", params: { command: ${JSON.stringify(command)} } }\nnext: done`;

function migrated(text: string) {
  const result = migrate(text)?.result;
  if (result?.kind !== 'migrated') throw new Error(`not migrated: ${JSON.stringify(result)}`);
  return result;
}

/** What is written of a graph. */
const cases: readonly (readonly [what: string, text: string, written: string])[] = [
  [
    'a command',
    graph(bash('echo ${inputs.a} ${state.b.c} ${HOME}')),
    'tool_command="echo ${inputs.a} ${context.b.c} ${HOME}"',
  ],
  [
    'the output of a command',
    graph(`${bash('ls')}\nassign: { x: "\${result.stdout}", n: 5 }`),
    '"assign.x"="${tool.output}", "assign.n"=5',
  ],
  [
    'the state at the beginning',
    graph(bash('ls'), '  state: { l: [1, 2], t: text }\n'),
    'start [shape=Mdiamond, "assign.l"="[1,2]", "assign.t"=text]',
  ],
  [
    'inputs',
    graph(
      bash('ls'),
      '',
      'config_schema: { required: [a], properties: { a: { type: string }, b: { type: integer, default: 3 }, c: { enum: [x, y] } } }\n',
    ),
    'inputs="a: string, b: integer = 3, c: x|y?"',
  ],
  [
    'the environment',
    graph(`${bash('ls')}\nenv_requires: [B]`, '', 'env_requires: [A]\n'),
    'env_requires="A, B"',
  ],
  ['the limit of steps', graph(bash('ls'), '  max_steps: 7\n'), 'max_steps=7, on_failure=stop'],
  ['failures that continue', graph(bash('ls'), '  on_error: continue\n'), 'on_failure=continue'],
  [
    'a node for errors',
    graph(`${bash('ls')}\non_error: done`),
    'a -> done [condition="outcome=fail", weight=1000]',
  ],
  [
    'conditions, of which the first one wins',
    graph(
      `${bash('ls').replace('next: done', '')}next:\n  - { to: done, when: { path: state.x, op: gt, value: "5" } }\n  - { to: a }`,
    ),
    'a -> done [condition="outcome!=fail && context.x > \\"5\\"", weight=2]\n    a -> a [weight=1]',
  ],
  [
    'conditions about several values',
    graph(
      `type: gate\nnext:\n  - to: done\n    when: { any: [{ path: state.x, op: eq, value: true }, { not: { path: inputs.y, op: exists } }] }\n  - { to: a }`,
    ),
    'condition="context.x = true || !(exists inputs.y)"',
  ],
  [
    'a gate',
    graph('type: gate\nassign: { seen: "${state.score}" }\nnext: done'),
    'a [shape=diamond, "assign.seen"="${context.score}"]',
  ],
  [
    'a list',
    graph(`type: foreach\nover: "\${state.items}"\nas: it\ncollect: all\n${bash('echo ${it.n}')}`),
    'a [shape=component, foreach="${context.items}", as=it, join=a_join, max_parallel=1]',
  ],
  [
    'the item of a list',
    graph(`type: foreach\nover: "\${state.items}"\nas: it\nparallel: true\n${bash('echo ${it.n}')}`),
    'a_item [shape=parallelogram, tool_command="echo ${context.it.n}"]',
  ],
  [
    'a thread',
    graph(
      'action: { item_id: "tool:rye/agent/threads/thread_directive", params: { directive_id: d/e, inputs: { text: "${state.t}" }, limit_overrides: { spend: 0.05 } } }\nnext: done',
    ),
    'a [prompt="Follow the directive \\"d/e\\".\n\ntext: ${context.t}", budget_usd=0.05]',
  ],
  [
    'a directive with outputs',
    graph('action: { item_id: "directive:d" }\nassign: { x: "${result.outputs.x}" }\nnext: done'),
    'writes=x',
  ],
  [
    'another graph',
    graph(
      'action: { item_id: "tool:graphs/other", params: { f: "${state.l.1.path}", depth: 5 } }\nnext: done',
    ),
    'a [type=pipeline, child="other.dot", "params.f"="${context.l.1.path}"]',
  ],
  [
    'a tool',
    graph(
      'action: { item_id: "tool:mail/send", params: { to: "${inputs.to}", text: "it\'s ${state.x}" } }\nassign: { id: "${result.id}" }\nnext: done',
    ),
    `tool_command=".ai/tools/mail/send to=\${inputs.to} text='it'\\\\''s \${context.x}'", output=json, "assign.id"="\${tool.json.id}"`,
  ],
  ['an old input', graph(bash('echo {input:who} {x}')), 'echo ${inputs.who} {x}'],
  [
    'the last error',
    graph(bash('echo ${state._last_error.node} ${state._last_error.error}')),
    'echo ${internal.last_failure.node} ${internal.last_failure.reason}',
  ],
  [
    'a hook that repeats',
    graph(
      bash('ls'),
      '  hooks: [{ event: error, action: { item_id: x/control, params: { action: retry, max_retries: 2 } } }]\n',
    ),
    'node [max_retries=2]',
  ],
  [
    'a hook that repeats, in short',
    graph(bash('ls'), '  hooks: [{ event: error, action: { retry: true, max_retries: 3 } }]\n'),
    'node [max_retries=3]',
  ],
  [
    'an operator by its longer name',
    graph('type: gate\nnext: [{ to: done, when: { path: state.n, operator: gte, value: 3 } }, { to: a }]'),
    'context.n >= 3',
  ],
  ['a node without an action', graph('next: done'), 'a [shape=diamond]'],
  ['a command that is only a value', graph(bash('${state.c}')), 'tool_command="sh -c ${context.c}"'],
  [
    'a here-document',
    graph(bash("cat > f << 'END'\n${state.x} costs `5` $\nEND")),
    'cat > f << END\n${context.x} costs \\\\`5\\\\` \\\\$\nEND',
  ],
];

describe('a graph of Rye', () => {
  test.each(cases)('is DOT: %s', (_, text, written) => {
    const { text: dot } = migrated(text);
    expect(dot).toContain(written);
    const errors = compile(dot).diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.filter(({ rule }) => rule !== 'reachability')).toEqual([]);
  });

  test.each([
    [graph(bash('ls'), '', 'permissions: [rye.execute.*]\n'), 'permissions: '],
    [graph(`cache: true\n${bash('ls')}`), 'cache: results are not kept between runs'],
    [graph(bash('date ${_now}')), '${_now}: let a command print the time'],
    [
      graph(bash('ls').replace('next: done', 'next: nowhere')),
      'the edge from "a" to "nowhere": there is no such node',
    ],
    [graph(bash('ls').replace('next: done', '')), '"a" leads nowhere'],
    [graph('action: { item_id: "tool:x/y" }\nnext: done'), 'the tool "x/y" has to be a program'],
    [
      graph('action: { item_id: "tool:x/y", params: { async: true } }\nnext: done'),
      'async: the run waits for this stage',
    ],
    [graph('action: { item_id: "tool:graphs/y", async: true }\nnext: done'), 'async: the run waits'],
    [
      graph(
        `${bash('ls').replace('next: done', '')}next:\n  - { to: done, when: { path: state.x, op: near, value: 1 } }\n  - { to: a }`,
      ),
      'has no counterpart: the edge is never taken',
    ],
    [
      `${head}config: { start: a, nodes: { a: { type: gate, next: a } } }\n`,
      'nothing ends this graph but its limit of steps',
    ],
  ])('has a comment for what is lost: %#', (text, message) => {
    const { text: dot, notes } = migrated(text);
    const note = notes.find((one) => one.message.startsWith(message) || one.message.includes(message));
    expect(note?.kind).toMatch(/lost|changed/);
    expect(dot).toContain(`// migrated: ${note?.message}`);
  });

  test('ids that mean something else here get others', () => {
    const text = `${head}config: { start: start, nodes: { start: { type: gate, next: end }, end: { type: gate, next: 2nd-step }, 2nd-step: { type: gate, next: done }, done: { type: return } } }\n`;
    const { text: dot } = migrated(text);
    expect(dot).toContain(
      'start -> start_\n    start_ -> end_\n    end_ -> _2nd_step\n    _2nd_step -> done',
    );
    expect(compile(dot).program).toBeDefined();
  });
});

const aliases = `a: &a [x, x, x, x, x, x, x, x, x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]}, `.repeat(9)}x]\n`).join('')}`;

describe('a text that is not a graph of Rye', () => {
  test.each([
    [
      `${head}config: { start: zz, nodes: { a: { type: return } } }`,
      '`config.start` names "zz", which is not a node',
    ],
    [`${head}config: {}`, '`config.nodes` has no nodes'],
    [`${head}config:\n  start: a\n  start: b\n`, 'Map keys must be unique'],
    [`${head}config: [`, 'not valid YAML'],
    [`${head}${aliases}`, 'alias'],
    [`${head}${'# x\n'.repeat(300_000)}`, 'characters; pipelines of up to'],
    [`${head}config: { start: a, nodes: 5 }`, '`config.nodes` has no nodes'],
  ])('has an error with a position: %#', (text, message) => {
    const result = migrate(text)?.result;
    if (result?.kind !== 'unreadable') throw new Error('expected an error');
    expect(result.diagnostics).toHaveLength(1);
    expect(result.diagnostics[0]?.message).toContain(message);
    expect(result.diagnostics[0]?.span.start).toBeLessThanOrEqual(text.length);
  });
});
