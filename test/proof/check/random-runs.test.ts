import { expect, it } from 'vitest';
import { checkProperties } from '../../../src/check/check-properties.js';
import { compile } from '../../../src/compiler/compile.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { sentencesAbout } from '../../check/random-properties.js';
import { failingBranches } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';

/*
 * Pipelines with all that the search does not know: inputs, `stages.…`, JSON, two keys at once, `retry_when`, custom outcomes, timed
 * parallel nodes, lists. A property that `check` says holds is broken by no random run of them.
 */

const runs = Number(process.env.ATTRACTOR_PROOF_RUNS ?? 150);
const runsOfEach = 20;

const conditions = [
  'outcome=success',
  'outcome=fail',
  'outcome=needs_work',
  'outcome!=success',
  'inputs.mode=x',
  'inputs.mode!=x && outcome=success',
  'inputs.count > 2',
  'context.k=red',
  'context.k = inputs.mode',
  'stages.a.outcome=fail',
  'stages.a.visits > 1',
  'preferred_label=go',
  'context.n = 3',
  'context.n > 3 && outcome=success',
  'context.sure',
  'context.all contains a',
  'context.all.0 = a',
  'tool.exit_code = 2',
];
const rules = [
  '',
  '',
  'writes="n: integer"',
  'writes="n: number?, sure: boolean?"',
  'writes="all: list"',
  'fail_when="inputs.mode=y"',
  'fail_when="context.k=red && stages.a.visits > 1"',
  'max_retries=1, retry_when="context.k=blue"',
  'max_retries=1, retry_when="inputs.mode=y"',
  '"assign.k"="${inputs.mode}"',
  '"assign.k"="red"',
  'max_visits=2',
  'continue_on_failure=true',
];
const forks = [
  undefined,
  'shape=component',
  'shape=component, timeout="1s"',
  'shape=component, timeout="1s", join_policy=first_success',
  'shape=component, foreach="${inputs.items}"',
  'shape=component, foreach="${context.list}"',
];

/** Random pipelines have what people do not write. */
const lenient = new Map([['reachability', 'off'], ['exit_unreachable', 'off'], ...failingBranches] as const);

const edge = fc.record({
  to: fc.constantFrom('a', 'b', 'c', 'exit', 'exit'),
  condition: fc.option(fc.constantFrom(...conditions), { nil: undefined }),
});
const stage = fc.record({
  rule: fc.constantFrom(...rules),
  shape: fc.constantFrom('prompt="Work"', 'prompt="Work"', 'shape=parallelogram, tool_command="./x"'),
  edges: fc.array(edge, { minLength: 1, maxLength: 3 }),
});

/** A pipeline of three stages, with a fork before them in some. */
const pipelines = fc
  .record({ stages: fc.tuple(stage, stage, stage), fork: fc.constantFrom(...forks) })
  .map(({ stages, fork }) => {
    const lines = ['a', 'b', 'c'].flatMap((id, index) => {
      const { rule, shape, edges = [] } = stages[index] ?? {};
      const own = edges.filter(({ to }, at) => edges.findIndex((other) => other.to === to) === at);
      return [
        `${id} [${[shape, rule].filter(Boolean).join(', ')}]`,
        ...own.map(({ to, condition }) =>
          condition === undefined ? `${id} -> ${to}` : `${id} -> ${to} [condition="${condition}"]`,
        ),
      ];
    });
    if (fork === undefined) return ['start -> a', ...lines].join('\n');
    const second = fork.includes('foreach') ? [] : ['q [prompt="Q"]', 'fork -> q -> join'];
    return [
      'start -> fork',
      `fork [${fork}]`,
      'join [shape=tripleoctagon]',
      'p [prompt="P"]',
      'fork -> p -> join',
      ...second,
      'join -> a',
      ...lines,
    ].join('\n');
  });

const entry = fc.record({
  outcome: fc.constantFrom('success', 'success', 'fail', 'partial_success', 'skipped', 'retry'),
  preferred_label: fc.constantFrom(undefined, undefined, 'go'),
  context_updates: fc.constantFrom(
    {},
    {},
    { k: 'red' },
    { k: 'blue' },
    { list: [] },
    { list: ['one', 'two'] },
    { n: 3 },
    { n: 4, sure: true },
    { n: 3.5, sure: false },
    { all: ['a'] },
    { all: [] },
    { 'tool.exit_code': 2 },
  ),
  delay: fc.constantFrom(undefined, undefined, 0.4, 0.9, 2),
});
const scripts = fc.record({
  nodes: fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'p', 'q'),
    fc.array(entry, { minLength: 1, maxLength: 4 }),
    {
      noNullPrototype: true,
    },
  ),
  mode: fc.constantFrom('x', 'y', 'red'),
  count: fc.constantFrom(1, 3),
  items: fc.constantFrom([], ['one'], ['one', 'two']),
});

it('144: what holds is broken by no random run, whatever the search does not know', async () => {
  const counts = { holds: 0, broken: 0, undecided: 0, played: 0 };
  await fc.assert(
    fc.asyncProperty(
      pipelines.chain((body) => {
        const ids = body.includes('fork') ? ['a', 'b', 'p', 'join', 'exit'] : ['a', 'b', 'c', 'exit'];
        return fc.record({ body: fc.constant(body), property: sentencesAbout(ids) });
      }),
      fc.array(scripts, { minLength: runsOfEach, maxLength: runsOfEach }),
      async ({ body, property }, all) => {
        const graph = `graph ["check.it"="${property}", max_steps=30]`;
        const dot = `digraph G { ${graph}\nstart [shape=Mdiamond]\nexit [shape=Msquare]\n${body}\n}`;
        const compilation = compile(dot, { ruleSettings: lenient });
        const { program } = compilation;
        if (program === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
        const [verdict] = await checkProperties({ ...compilation, program }, { mostStates: 3_000 });
        if (verdict === undefined) throw new Error('no verdict');
        counts[verdict.kind] += 1;
        // Lists may be longer than those of the search.
        if (verdict.kind !== 'holds') return;
        for (const { nodes, ...inputs } of all) {
          const events: RunEvent[] = [];
          const known = Object.entries(nodes).filter(([id]) => program.nodes.has(id));
          const written = JSON.parse(JSON.stringify(Object.fromEntries(known)));
          const script = readScript({ nodes: written }, 'the test');
          await simulate(compilation, { script, inputs, start: 0, onEvent: (event) => events.push(event) });
          counts.played += 1;
          const end = events.at(-1);
          expect({
            dot,
            nodes,
            inputs,
            end: end?.type === 'PipelineFailed' ? end.kind : '',
          }).not.toMatchObject({
            end: 'property',
          });
        }
      },
    ),
    { numRuns: runs },
  );
  if (process.env.ATTRACTOR_PROOF_RUNS !== undefined) console.log(counts);
  expect(counts.holds).toBeGreaterThan(runs / 20);
  expect(counts.broken).toBeGreaterThan(runs / 20);
}, 600_000);
