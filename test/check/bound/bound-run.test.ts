import { describe, expect, test } from 'vitest';
import { RunBounds } from '../../../src/check/bound/bound-run.js';
import { openLoops } from '../../../src/check/bound/open-loops.js';
import { modelAttempts, stageVisits } from '../../../src/check/bound/quantities.js';
import { longestRun } from '../../../src/check/bound/reached.js';
import { compile } from '../../../src/compiler/compile.js';
import type { Program } from '../../../src/graph/program.js';

function compiled(body: string) {
  const compilation = compile(
    `digraph p { start [shape=Mdiamond]; exit [shape=Msquare]; node [prompt="x"]; ${body} }`,
    { ruleSettings: new Map() },
  );
  const { program, diagnostics } = compilation;
  if (program === undefined) throw new Error(JSON.stringify(diagnostics.map(({ message }) => message)));
  return { ...compilation, program };
}

function most(body: string, child?: Program) {
  const { program } = compiled(body);
  const bounds = new RunBounds({ childOf: (_, { handler }) => (handler.runsChild ? child : undefined) });
  const [stages, calls] = [bounds.of(program, stageVisits), bounds.of(program, modelAttempts)];
  if (stages.kind === 'unlimited' || calls.kind === 'unlimited') throw new Error('no limit');
  const held = stages.limits.map(({ attribute, node_id, value, below }) =>
    [[below, node_id].filter((part) => part !== undefined).join('/'), `${attribute}=${value}`]
      .join(' ')
      .trim(),
  );
  return { stages: stages.amount, calls: calls.amount, held };
}

interface Case {
  readonly name: string;
  readonly body: string;
  readonly stages: number;
  readonly calls: number;
  readonly held: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'a line visits each stage once',
    body: 'start -> a -> b -> exit',
    stages: 2,
    calls: 2,
    held: [],
  },
  {
    name: 'the longest of two ways counts, not both',
    body: 'd [shape=diamond]; start -> d; d -> a [condition="outcome=success"]; d -> b; a -> c -> exit; b -> exit',
    stages: 3,
    calls: 2,
    held: [],
  },
  {
    name: 'max_visits of one node holds its loop',
    body: 'fix [max_visits=3]; start -> test -> exit [condition="outcome=success"]; test -> fix -> test',
    stages: 7,
    calls: 7,
    held: ['fix max_visits=3'],
  },
  {
    name: 'max_steps holds a loop without a limit',
    body: 'graph [max_steps=9]; t [shape=parallelogram, tool_command="x"]; start -> a -> t -> a; t -> exit',
    stages: 9,
    calls: 5,
    held: ['max_steps=9'],
  },
  {
    name: 'each attempt is a call',
    body: 'a [max_retries=2]; b [retry_policy=standard]; start -> a -> b -> exit',
    stages: 2,
    calls: 8,
    held: [],
  },
  {
    name: 'each branch counts its own steps',
    body: 'graph [max_steps=3]; f [shape=component]; j [shape=tripleoctagon, prompt=""]; start -> f; f -> a -> a; a -> j; f -> b -> j -> exit',
    stages: 6,
    calls: 4,
    held: ['f max_steps=3'],
  },
  {
    name: 'a parallel node that is retried begins its branches again',
    body: 'f [shape=component, max_retries=1]; j [shape=tripleoctagon, prompt=""]; start -> f; f -> a -> j; f -> b -> j -> exit',
    stages: 6,
    calls: 4,
    held: ['f max_retries=1'],
  },
  {
    name: 'max_visits in a branch counts for the whole run',
    body: 'f [shape=component, max_visits=4]; a [max_visits=2]; j [shape=tripleoctagon, prompt=""]; start -> f; f -> a -> j; f -> b -> j; j -> f; j -> exit',
    stages: 14,
    calls: 6,
    held: ['a max_visits=2', 'f max_visits=4'],
  },
  {
    name: 'a list has as many items as a run allows',
    body: 'f [shape=component, foreach="${inputs.files}"]; j [shape=tripleoctagon, prompt=""]; start -> f -> a -> j -> exit',
    stages: 100_002,
    calls: 100_000,
    held: ['f foreach=100000'],
  },
  {
    name: 'a goal gate sends back as often as the limit says',
    body: 'graph [max_goal_gate_redirects=2, retry_target=a]; b [goal_gate=true]; start -> a -> b -> exit',
    stages: 6,
    calls: 6,
    held: ['max_goal_gate_redirects=2'],
  },
  {
    name: 'a failure goes to no retry target where a condition takes it',
    body: 'graph [max_goal_gate_redirects=2]; a [goal_gate=true, retry_target=a]; start -> a; a -> exit [condition="outcome=success"]; a -> exit [condition="outcome!=success"]',
    stages: 3,
    calls: 3,
    held: ['max_goal_gate_redirects=2'],
  },
  {
    name: 'a failure may go to a retry target where a condition takes some failures only',
    body: 'graph [max_steps=9]; a [retry_target=a]; start -> a; a -> exit [condition="outcome=success"]; a -> exit [condition="outcome=fail && context.x=1"]',
    stages: 9,
    calls: 9,
    held: ['max_steps=9'],
  },
  {
    name: 'a restart begins the limits anew',
    body: 'graph [max_restarts=2]; a [max_visits=2]; start -> a -> a; a -> b [condition="outcome=fail"]; a -> exit; b -> a [loop_restart=true]',
    stages: 9,
    calls: 9,
    held: ['a max_visits=2', 'max_restarts=2'],
  },
];

describe('the bound of a run', () => {
  test.each(cases)('145: $name', ({ body, stages, calls, held }) => {
    const found = most(body);
    expect({ ...found, held: [...found.held].sort() }).toEqual({ stages, calls, held: [...held].sort() });
  });

  test('145: a child counts for each attempt of its stage, with its own limits', () => {
    const { program } = compiled('x [max_visits=3]; start -> x -> x; x -> exit');
    expect(most('sub [type=pipeline, child="c.dot", max_retries=1]; start -> sub -> exit', program)).toEqual({
      stages: 7,
      calls: 6,
      held: ['sub max_retries=1', 'sub/x max_visits=3'],
    });
  });

  test('145: a pipeline that runs itself ends at limits.depth', () => {
    const own = compiled(
      'graph ["limits.depth"=3]; sub [type=pipeline, child="p.dot"]; start -> a -> sub -> exit',
    ).program;
    const bound = new RunBounds({ childOf: () => own }).of(own, stageVisits);
    expect(bound).toMatchObject({ kind: 'limited', amount: 8 });
  });

  test('145: what nothing limits is named with its place', () => {
    const child = compiled('start -> agent -> exit').program;
    const { program } = compiled('sub [type=pipeline, child="c.dot"]; start -> sub -> exit');
    const bound = new RunBounds({ childOf: () => child }).of(program, {
      per: 'attempt',
      each: ({ id }) => (id === 'agent' ? 'unlimited' : 0),
    });
    expect(bound).toEqual({ kind: 'unlimited', nodes: [{ node_id: 'sub/agent', reason: 'no_limit' }] });
  });

  test('145: names the loop that only max_steps ends', () => {
    const { program } = compiled('b [max_visits=2]; start -> a -> b -> a; a -> c -> d -> c; d -> exit');
    const lines = new RunBounds().linesOf(program) ?? [];
    expect(openLoops(program, lines)).toEqual([
      { nodes: ['c', 'd', 'c'], back: { from: 'd', to: 'c', kind: 'edge' } },
    ]);
  });

  test('145: the search lowers a bound that no run reaches, to that of a run that it plays', async () => {
    const body =
      'graph [max_steps=20]; start -> a; a -> a [condition="outcome=fail && outcome=success"]; a -> b -> exit';
    const bound = most(body);
    const longest = await longestRun(compiled(body), bound.stages);
    expect([bound.stages, longest.atMost]).toEqual([20, 2]);
    expect(longest.run?.path).toEqual(['start', 'a']);
  });

  test('145: no other amount exceeds the stages that the search has found', async () => {
    const body =
      'graph [max_steps=20]; start -> a; a -> a [condition="outcome=fail && outcome=success"]; a [max_retries=2]; a -> b -> exit';
    const { program } = compiled(body);
    const of = (stages?: number) =>
      new RunBounds({ longest: stages === undefined ? undefined : { program, stages } }).of(
        program,
        modelAttempts,
      );
    expect(of()).toMatchObject({ amount: 60 });
    const limits = [
      { attribute: 'stages', value: 2 },
      { attribute: 'max_retries', node_id: 'a' },
    ];
    expect(of(2)).toMatchObject({ amount: 6, limits });
  });

  test('145: the properties of a pipeline decide which run is long enough', async () => {
    const ways =
      'start -> a; a -> b [condition="outcome=success"]; a -> c; a -> exit [condition="outcome=fail"]; b -> c -> exit';
    const free = await longestRun(compiled(`graph ["check.x"="c only after b"]; ${ways}`), 3);
    expect([free.atMost, free.run?.path]).toEqual([3, ['start', 'a', 'b']]);
    const cut = await longestRun(compiled(`graph ["check.x"="never c"]; ${ways}`), 3);
    expect(cut).toEqual({
      atMost: 3,
      run: undefined,
      reasons: ['a property of the pipeline ends those that were tried before'],
    });
  });
});
