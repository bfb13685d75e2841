import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { NamedFile, PipelineFiles } from '../../src/lint/named-files.js';

// Row 113: pipelines that stages run are compiled with their parent.

/** Files in memory, and how often each was read. */
function filesOf(texts: Readonly<Record<string, string>>): PipelineFiles & { readonly reads: string[] } {
  const reads: string[] = [];
  const read = (name: string): NamedFile => {
    reads.push(name);
    const text = texts[name];
    return text === undefined ? { kind: 'missing' } : { kind: 'text', id: name, name, text, files: within };
  };
  const within: PipelineFiles = { read };
  return { self: 'main.dot', read, reads };
}

const stage = (child: string, more = ''): string => `s_${child} [type=pipeline, child="${child}.dot"${more}]`;

/** A pipeline that runs these children one after the other, each as a stage of its own. */
function running(children: readonly string[], graph = ''): string {
  const stages = children.map((child) => stage(child));
  const way = ['start', ...children.map((child) => `s_${child}`), 'done'].join(' -> ');
  return `digraph G { graph [on_failure=stop${graph}]\nstart [shape=Mdiamond]\ndone [shape=Msquare]\n${stages.join('\n')}\n${way} }`;
}

const sound = 'digraph G { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }';
const broken = 'digraph G { start [shape=Mdiamond]; start -> nowhere }';

/** What is found, as `severity rule [file: message of a related place]…`. */
function found(main: string, texts: Readonly<Record<string, string>>): readonly string[] {
  return compile(main, { name: 'main.dot', files: filesOf(texts) })
    .diagnostics.filter(({ rule }) => rule.startsWith('child_'))
    .map(({ severity, rule, related = [] }) =>
      [severity, rule, ...related.map(({ source, message }) => `${source?.name}: ${message}`)].join(' | '),
    );
}

describe('113: a child that is compiled with its parent', () => {
  const cases: readonly {
    readonly name: string;
    readonly main: string;
    readonly texts: Readonly<Record<string, string>>;
    readonly wanted: readonly (string | RegExp)[];
  }[] = [
    { name: 'a sound one', main: running(['a']), texts: { 'a.dot': sound }, wanted: [] },
    {
      name: 'one with errors, which are places in its own file',
      main: running(['a']),
      texts: { 'a.dot': broken },
      wanted: [/^error \| child_errors \| a\.dot: .*\[terminal_node\].*a\.dot: .*\[edge_target_exists\]/],
    },
    {
      name: 'a child of a child: the parent shows the file that has the error',
      main: running(['a']),
      texts: { 'a.dot': running(['b']), 'b.dot': 'digraph' },
      wanted: [/^error \| child_errors \| b\.dot: .*\[syntax\]$/],
    },
    {
      name: 'a missing child of a child',
      main: running(['a']),
      texts: { 'a.dot': running(['b']) },
      wanted: [
        /^error \| child_errors \| a\.dot: the pipeline of "s_b", "b\.dot", does not exist.*\[child_exists\]$/,
      ],
    },
    {
      name: 'one that runs itself has no error by that',
      main: running(['a']),
      texts: { 'a.dot': running(['a']) },
      wanted: [],
    },
    {
      name: 'one that runs its parent',
      main: running(['main']),
      texts: { 'main.dot': running(['main']) },
      wanted: [],
    },
    {
      name: 'an error after other stages too',
      main: running(['a', 'b']),
      texts: { 'a.dot': sound, 'b.dot': broken },
      wanted: [/^error \| child_errors \| b\.dot/],
    },
    {
      name: 'a warning where a stage that names the file may rewrite it',
      main: running(['b']).replace('start ->', 'w [prompt="Write b.dot"]; start -> w ->'),
      texts: { 'b.dot': broken },
      wanted: [/^warning \| child_errors \| b\.dot/],
    },
    {
      name: 'inputs: the parent of a pipeline that runs its parent gives too few',
      main: running(['a'], ', inputs="who: string"'),
      texts: { 'a.dot': running(['main']) },
      wanted: [/^error \| child_errors \| a\.dot: "s_main" does not set the input "who" of "main\.dot"/],
    },
  ];

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, { main, texts, wanted }) => {
    const all = found(main, { 'main.dot': main, ...texts });
    expect(all).toHaveLength(wanted.length);
    wanted.forEach((one, index) => {
      expect(all[index]).toMatch(one);
    });
  });

  it('is compiled once, whoever runs it', () => {
    let compiled = 0;
    const transform = {
      name: 'count',
      apply<Graph>(graph: Graph): Graph {
        compiled += 1;
        return graph;
      },
    };
    const main = running(['a', 'b', 'c', 'main']);
    const texts = {
      'main.dot': main,
      'a.dot': running(['c', 'b']),
      'b.dot': running(['c', 'a']),
      'c.dot': sound,
    };
    compile(main, { files: filesOf(texts), transforms: [transform] });
    expect(compiled).toBe(4);
  });

  it('a chain without end ends', () => {
    const endless = (level: number): NamedFile => ({
      kind: 'text',
      id: String(level),
      name: `${level}.dot`,
      text: running(['next']),
      files: { read: () => endless(level + 1) },
    });
    expect(compile(running(['next']), { files: { read: () => endless(1) } }).diagnostics).toEqual([]);
  });
});

describe('113: params.* are held against the inputs of the child', () => {
  const child = (inputs: string): string => sound.replace('{', `{ graph [inputs="${inputs}"];`);
  const cases: readonly (readonly [inputs: string, params: string, wanted: readonly string[]])[] = [
    ['', '"params.a"=1', ['"a" is not an input of "a.dot"; it declares none']],
    [
      'count: integer',
      '"params.cuont"=1',
      [
        '"cuont" is not an input of "a.dot" (did you mean "count"?)',
        '"s" does not set the input "count" of "a.dot", which has no default',
      ],
    ],
    ['count: integer', '"params.count"=3', []],
    ['count: integer', '"params.count"="3"', []],
    ['count: integer', '"params.count"=3.5', ['the input "count" of "a.dot" must be an integer; found 3.5']],
    ['count: integer', '"params.count"="${inputs.x}"', []],
    ['count: integer', '"params.count"="3${inputs.x}"', []],
    ['name: string', '"params.name"=3', ['the input "name" of "a.dot" must be a string; found 3']],
    ['name: string', '"params.name"="1e5"', []],
    ['flag: boolean', '"params.flag"=true', []],
    ['flag: boolean', '"params.flag"="yes"', ['the input "flag" of "a.dot" must be a boolean; found "yes"']],
    ['files: list', '"params.files"="[1, 2]"', []],
    [
      'files: list, more: map?, else: any = 3',
      '"params.files"="a b"',
      ['the input "files" of "a.dot" must be a list; found "a b"'],
    ],
    [
      'level: low|high',
      '"params.level"="mid"',
      ['the input "level" of "a.dot" must be one of low, high; found "mid"'],
    ],
  ];

  it.each(cases)('%j with %s', (inputs, params, wanted) => {
    const main = `digraph G { graph [on_failure=stop]; start [shape=Mdiamond]; done [shape=Msquare]
      s [type=pipeline, child="a.dot", ${params}]; start -> s -> done }`;
    const { diagnostics } = compile(main, { files: filesOf({ 'a.dot': child(inputs) }) });
    const about = diagnostics.filter(({ rule }) => rule.startsWith('child_'));
    expect(about.map(({ message }) => message).sort()).toEqual([...wanted].sort());
  });

  it('a manager is held to them too, with the file that the graph names', () => {
    const main = `digraph G { graph [on_failure=stop, "stack.child_dotfile"="a.dot"]; start [shape=Mdiamond]; done [shape=Msquare]
      s [shape=house, "params.x"=1]; start -> s -> done }`;
    const { diagnostics } = compile(main, { files: filesOf({ 'a.dot': child('y: integer') }) });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['child_inputs', 'child_inputs']);
  });
});
