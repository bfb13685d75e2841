import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { stageDetail } from '../../src/view/stage-detail.js';
import { valuesOfVisit } from '../../src/view/values-of-visit.js';
import { pipeline, runOnDisk, testEach } from '../run/harness.js';

// A stage is shown by what it read and what it gave: these are the values that it had, whatever changed them later.

interface Case {
  readonly name: string;
  readonly dot: string;
  readonly handlers?: Readonly<Record<string, Handler['execute']>>;
  readonly of: { readonly nodeId: string; readonly visit?: number };
  readonly read: readonly unknown[];
  readonly gave: readonly unknown[];
}

const setting =
  (updates: Readonly<Record<string, string | number | readonly string[]>>): Handler['execute'] =>
  () => ({ status: 'success', context_updates: updates });

/** Three branches, of the handlers `one`, `two` and `three`. */
function fanned(policy: string): string {
  return pipeline(
    `fan [shape=component, type="parallel", on_conflict=${policy}]`,
    ...['one', 'two', 'three'].map((id) => `${id} [type=${id}, max_retries=0]`),
    'join [type="parallel.fan_in"]',
    'start -> fan; fan -> one -> join; fan -> two -> join; fan -> three -> join; join -> exit',
  );
}

let times = 0;
const counting: Handler['execute'] = () => {
  times += 1;
  return { status: times % 2 === 1 ? 'fail' : 'success', context_updates: { 'work.round': times } };
};

const cases: readonly Case[] = [
  {
    name: 'declared reads and the values of a text, each once, with those of before the stage',
    dot: pipeline(
      'plan [type=sets]',
      'work [type=note, reads="plan, gone", prompt="Do ${context.plan} for ${inputs.city}", "assign.plan"="changed"]',
      'start -> plan -> work -> exit',
    ),
    handlers: { sets: setting({ plan: 'as planned' }), note: setting({}) },
    of: { nodeId: 'work' },
    read: [
      { name: 'plan', by: 'reads', value: 'as planned' },
      { name: 'gone', by: 'reads' },
      { name: 'inputs.city', by: 'prompt', value: 'Ulm' },
    ],
    gave: [{ name: 'plan', by: 'assign', value: 'changed' }],
  },
  {
    name: 'values that are given, the declared ones first, those of the handler last',
    dot: pipeline(
      'work [type=tool, tool_command=x, writes="verdict", "assign.length"="${context.extra}"]',
      'start -> work -> exit',
    ),
    handlers: { tool: setting({ 'tool.exit_code': 0, extra: 7, verdict: 'good', 'tool.json': ['x'] }) },
    of: { nodeId: 'work' },
    read: [],
    gave: [
      { name: 'tool.json', by: 'output', value: ['x'] },
      { name: 'verdict', by: 'writes', value: 'good' },
      { name: 'length', by: 'assign', value: 7 },
      { name: 'extra', by: 'update', value: 7 },
      { name: 'tool.exit_code', by: 'engine', value: 0 },
    ],
  },
  {
    name: 'of an earlier visit its own values',
    dot: pipeline(
      'seed [type=sets]',
      'work [type=counts, reads="work.round"]',
      'start -> seed -> work',
      'work -> work [condition="outcome=fail"]',
      'work -> exit',
    ),
    handlers: { sets: setting({ 'work.round': 0 }), counts: counting },
    of: { nodeId: 'work', visit: 1 },
    read: [{ name: 'work.round', by: 'reads', value: 0 }],
    gave: [{ name: 'work.round', by: 'update', value: 1 }],
  },
  {
    name: 'the item of a branch',
    dot: pipeline(
      'plan [type=sets]',
      'each [shape=component, type="parallel", foreach="${context.files}", as=file, join=meet]',
      'look [type=note, prompt="Read ${context.file}"]',
      'meet [type=note]',
      'start -> plan -> each -> look -> meet -> exit',
    ),
    handlers: { sets: setting({ files: ['a.ts', 'b.ts'] }), note: setting({ seen: 1 }) },
    of: { nodeId: 'look', visit: 2 },
    read: [
      { name: 'file', by: 'item', value: 'b.ts' },
      { name: 'context.file', by: 'prompt', value: 'b.ts' },
    ],
    gave: [{ name: 'seen', by: 'update', value: 1 }],
  },
  ...(
    [
      ['last_wins', 'bad', 'two'],
      ['first_wins', 'good', 'one'],
    ] as const
  ).map(
    ([policy, verdict, branch]): Case => ({
      name: `107: what a join has merged, and of which branch it is (${policy})`,
      dot: fanned(policy),
      handlers: {
        one: setting({ verdict: 'good', plan: ['a'] }),
        two: setting({ verdict: 'bad', 'tool.output': 'x' }),
        three: () => ({ status: 'fail', failure_reason: 'no', context_updates: { verdict: 'worse' } }),
      },
      of: { nodeId: 'fan' },
      read: [],
      gave: [
        { name: 'verdict', by: 'merge', value: verdict, merge: { policy, branch, count: 2 } },
        { name: 'plan', by: 'merge', value: ['a'], merge: { policy, branch: 'one', count: 1 } },
      ],
    }),
  ),
  {
    name: '107: equal values of branches, which do not conflict',
    dot: fanned('error'),
    handlers: {
      one: setting({ verdict: 'good' }),
      two: setting({ verdict: 'good' }),
      three: setting({}),
    },
    of: { nodeId: 'fan' },
    read: [],
    gave: [
      { name: 'verdict', by: 'merge', value: 'good', merge: { policy: 'error', branch: 'one', count: 2 } },
    ],
  },
  {
    name: '107: nothing where branches contradict each other, or nothing is merged',
    dot: fanned('error'),
    handlers: {
      one: setting({ verdict: 'good' }),
      two: setting({ verdict: 'bad' }),
      three: setting({ other: 1 }),
    },
    of: { nodeId: 'fan' },
    read: [],
    gave: [],
  },
];

testEach(cases, async ({ dot, handlers, of, read, gave }) => {
  times = 0;
  const { directory } = await runOnDisk(dot, { inputs: { city: 'Ulm' }, handlers });
  const values = valuesOfVisit(directory, of);
  expect(values).toEqual({ visit: of.visit ?? 1, read, gave });
});

testEach(
  [
    {
      name: 'no values are read where a plugin that is not loaded made the pipeline, but all that were given',
    },
  ],
  async () => {
    const dot = pipeline('work [type=note, reads="plan"]', 'start -> work -> exit');
    const { directory } = await runOnDisk(dot, { handlers: { note: setting({ plan: 'x' }) } });
    const file = path.join(directory, 'pipeline.dot');
    writeFileSync(file, readFileSync(file, 'utf8').replace('start -> work', 'start -> other -> work'));
    const values = valuesOfVisit(directory, { nodeId: 'work' });
    expect(values?.gave).toEqual([{ name: 'plan', by: 'update', value: 'x' }]);
    expect(valuesOfVisit(directory, { nodeId: 'work', visit: 9 })).toBeUndefined();
  },
);

testEach([{ name: '120: a visit says whether it was simulated' }], async () => {
  const dot = pipeline('a', 'b [type=note]', 'start -> a -> b -> exit');
  const { directory } = await runOnDisk(dot, { script: { a: {} }, handlers: { note: setting({}) } });
  const marks = ['a', 'b'].map((id) => stageDetail(directory, id)?.visits[0]?.simulated);
  expect(marks).toEqual([true, false]);
});
