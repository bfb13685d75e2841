import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { fork } from '../../src/run/recording/fork.js';
import { type RunOptions, run } from '../../src/run/run.js';
import { overviewOf } from '../../src/view/run-overview.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { runProject, subPipeline } from './children/children.js';
import {
  eventsOf,
  jsonOf,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  testEach,
} from './harness.js';
import { spendingBackend } from './spending-backend.js';

const one = (...attributes: readonly string[]): string => pipeline(...attributes, 'a', 'start -> a -> exit');

/** Answers without a word about costs. */
const silent: CodergenBackend = { run: async () => 'Done.' };

const free: CodergenBackend = { ...silent, mayCost: ({ model }) => model !== 'local' };

describe('126: the budget with which a run begins', () => {
  const bounds = (budgetUsd: number) => ({ setBy: 'attractor serve', budgetUsd });
  const tools = pipeline('a [shape=parallelogram, tool_command="true"]', 'start -> a -> exit');
  const fanIn = pipeline(
    'fan [shape=component]; x [shape=parallelogram, tool_command="true"]; y [shape=parallelogram, tool_command="true"]',
    'join [shape=tripleoctagon, prompt="Which is best?"]',
    'start -> fan -> x -> join -> exit; fan -> y -> join',
  );
  interface Row {
    readonly name: string;
    readonly dot: string;
    readonly setup?: Setup;
    readonly budget: number | 'none' | undefined;
  }
  const rows: readonly Row[] = [
    { name: 'an LLM stage', dot: one(), budget: 25 },
    { name: 'a script', dot: one(), setup: { script: { a: { outcome: 'success' } } }, budget: undefined },
    { name: 'a simulation', dot: one(), setup: { simulate: true }, budget: undefined },
    { name: 'no backend', dot: one(), setup: { backend: undefined }, budget: undefined },
    { name: 'a simulated provider', dot: one('llm_provider=simulated'), budget: undefined },
    {
      name: 'one simulated stage of two',
      dot: one('b [llm_provider=simulated]', 'a -> b -> exit'),
      budget: 25,
    },
    { name: 'tools alone', dot: tools, budget: undefined },
    { name: 'a free model', dot: one('llm_model=local'), setup: { backend: free }, budget: undefined },
    { name: 'another model', dot: one('llm_model=large'), setup: { backend: free }, budget: 25 },
    { name: 'a fan-in with a prompt', dot: fanIn, budget: 25 },
    { name: 'that of the pipeline', dot: one('budget_usd=5'), budget: 5 },
    { name: 'lifted by the pipeline', dot: one('budget_usd=none'), budget: 'none' },
    {
      name: 'the call before the pipeline',
      dot: one('budget_usd=5'),
      setup: { budgetUsd: 7 },
      budget: 7,
    },
    { name: 'lifted by the call', dot: one('budget_usd=5'), setup: { budgetUsd: 'none' }, budget: 'none' },
    { name: 'set again by the call', dot: one('budget_usd=none'), setup: { budgetUsd: 7 }, budget: 7 },
    { name: 'the configuration', dot: one(), setup: { defaultBudgetUsd: 100 }, budget: 100 },
    {
      name: 'lifted by the configuration',
      dot: one(),
      setup: { defaultBudgetUsd: 'none' },
      budget: 'none',
    },
    {
      name: 'the pipeline before the configuration',
      dot: one('budget_usd=5'),
      setup: { defaultBudgetUsd: 100 },
      budget: 5,
    },
    { name: 'a lower bound of a server', dot: one(), setup: { bounds: bounds(10) }, budget: 10 },
    { name: 'not a higher bound of a server', dot: one(), setup: { bounds: bounds(90) }, budget: 25 },
  ];
  testEach(rows, async ({ dot, setup, budget }) => {
    const { events, result } = await runOnDisk(dot, { backend: silent, ...setup });
    expect(result.status).toBe('success');
    expect(budgetsAtStart(events)).toEqual([budget]);
  });

  test.each([
    ['a handler that says it calls a model', { llm: true }, 25],
    ['a handler that does not', {}, undefined],
  ] as const)('%s', async (_name, description, budget) => {
    const handler = { execute: async () => ({ status: 'success' as const }) };
    const handlers = new HandlerRegistry().register('ask', handler, description);
    const events: RunEvent[] = [];
    await run(pipeline('a [type=ask]', 'start -> a -> exit'), {
      handlers,
      runDirectory: `${temporaryDirectory()}/run`,
      onEvent: (event) => void events.push(event),
    });
    expect(budgetsAtStart(events)).toEqual([budget]);
  });
});

function budgetsAtStart(events: readonly RunEvent[]) {
  return eventsOf(events, 'PipelineStarted').map(({ budget_usd: budget }) => budget);
}

describe('126: a child', () => {
  const llm = pipeline('work', 'start -> work -> exit');
  const tools = pipeline('work [shape=parallelogram, tool_command="true"]', 'start -> work -> exit');

  test('that asks a model gives its parent a budget, and has none itself', async () => {
    const { events, directory } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': llm },
      { backend: silent },
    );
    expect(budgetsAtStart(events)).toEqual([25]);
    expect(jsonOf(directory, 'sub/child/manifest.json').options.default_budget_usd).toBeUndefined();
    expect(overviewOf(`${directory}/sub/child`, 0).budgets).toEqual([]);
    expect(overviewOf(directory, 0).budgets).toEqual([{ unit: 'usd', limit: 25, used: 0, node_id: null }]);
  });

  test.each([
    ['that only runs tools does not', tools, undefined],
    ['that a stage will write may', undefined, 25],
  ])('%s', async (_name, child, budget) => {
    const write =
      "write [shape=parallelogram, tool_command=\"printf '%s' 'digraph C { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }' > child.dot\"]";
    const main = subPipeline('', write).replace('start -> ', 'start -> write -> ');
    const files = { 'main.dot': main, ...(child !== undefined && { 'child.dot': child }) };
    const { events, result } = await runProject(files, { backend: silent });
    expect(result.status).toBe('success');
    expect(budgetsAtStart(events)).toEqual([budget]);
  });

  test('spends the budget of its parent', async () => {
    const greedy = pipeline(
      'work',
      'start -> work',
      'work -> work [condition="outcome=success"]',
      'work -> exit [condition="outcome=fail"]',
    );
    const backend = spendingBackend({ work: [{ usd: 4 }] });
    const { result } = await runProject({ 'main.dot': subPipeline(), 'child.dot': greedy }, { backend });
    expect(result).toMatchObject({ status: 'paused', usage: { cost_usd: 28, requests: 7 } });
    expect(result.paused_reason).toContain('the run has used $28.00 of the $25.00 allowed by its budget');
  });
});

describe('126: a run that continues', () => {
  const loop = pipeline(
    'a',
    'start -> a',
    'a -> a [condition="outcome=success"]',
    'a -> exit [condition="outcome=fail"]',
  );
  const requests = { a: [{ usd: 10 }] };

  test('has the budget that is recorded, whatever its default would be now', async () => {
    const { directory, result } = await runPipeline(loop, { backend: spendingBackend(requests) });
    expect(result).toMatchObject({ status: 'paused', usage: { cost_usd: 30 } });
    const backend = spendingBackend(requests);
    const again = await resumePipeline(directory, { backend, defaultBudgetUsd: 'none' });
    expect([again.result.status, backend.begun]).toEqual(['paused', []]);
    const more = await resumePipeline(directory, { backend, budgetUsd: 50 });
    expect(more.result).toMatchObject({ status: 'paused', usage: { cost_usd: 50 } });
  });

  test('has no budget any more once it is lifted', async () => {
    const { directory } = await runPipeline(`${loop.slice(0, -1)} max_steps=6 }`, {
      backend: spendingBackend(requests),
    });
    const lifted = await resumePipeline(directory, { backend: spendingBackend(requests), budgetUsd: 'none' });
    expect(lifted.result).toMatchObject({ status: 'fail', usage: { cost_usd: 60 }, budgets: undefined });
    const again = await resumePipeline(directory, { backend: spendingBackend(requests), maxSteps: 9 });
    expect(again.result).toMatchObject({ status: 'fail', usage: { cost_usd: 90 } });
  });

  test('with real work, after it was simulated, has the default', async () => {
    const { directory, events } = await simulated();
    expect(budgetsAtStart(events)).toEqual([undefined]);
    const real = await resumePipeline(directory, { simulate: false, backend: silent }, { from: 'a' });
    expect(eventsOf(real.events, 'PipelineResumed')[0]?.budget_usd).toBe(25);
    expect(real.result.budgets).toEqual([{ unit: 'usd', limit: 25, used: 0 }]);
  });

  test('has none if an older version began it, even if it could cost money', async () => {
    const { directory } = await simulated();
    const manifest = jsonOf(directory, 'manifest.json');
    manifest.options.default_budget_usd = undefined;
    writeFileSync(`${directory}/manifest.json`, JSON.stringify(manifest));
    const backend = spendingBackend({ a: Array.from({ length: 30 }, () => ({ usd: 10 })) });
    const real = await resumePipeline(directory, { simulate: false, backend }, { from: 'a' });
    expect(real.result.usage).toMatchObject({ requests: 30, cost_usd: 300 });
  });

  function simulated() {
    const dot = pipeline('a', 'b [shape=parallelogram, tool_command="true"]', 'start -> a -> b -> exit');
    return runOnDisk(dot, { simulate: true, script: { b: { outcome: 'fail' } } });
  }

  test('as a fork has the budget of the run that it comes from', async () => {
    const { directory } = await runOnDisk(loop, {
      backend: spendingBackend(requests),
      defaultBudgetUsd: 15,
    });
    const made = await fork(directory, { at: 'a' });
    if (made.status === 'invalid') throw new Error('the pipeline of the run is not valid');
    const backend = spendingBackend(requests);
    const { result } = await resumePipeline(made.run_dir, { backend });
    expect(result).toMatchObject({ status: 'paused', usage: { cost_usd: 20 } });
    expect(backend.begun).toEqual(['a']);
  });
});

describe('126: --stage-budget', () => {
  const line = pipeline('plan [budget_usd=0.02]', 'b', 'start -> plan -> b -> exit');
  const plan = { plan: Array.from({ length: 5 }, () => ({})) };

  const refused = [
    ['a misspelt node', { plna: { usd: 1 } }, 'no such node (did you mean "plan"?)'],
    ['a node that asks no model', { start: { usd: 1 } }, 'a stage of type start asks no model'],
    ['a sum that is none', { plan: { usd: -1 } }, 'the option "stageBudgets" must be an object of budgets'],
    ['a unit that is none', { plan: { euros: 1 } }, 'the option "stageBudgets" must be an object of budgets'],
  ] as const;
  test.each(refused)('%s is refused before anything is created or changed', async (_name, given, problem) => {
    const stageBudgets = given as RunOptions['stageBudgets'];
    await expect(runPipeline(line, { backend: silent, stageBudgets })).rejects.toThrow(problem);
    const { directory } = await runPipeline(line, { backend: spendingBackend(plan) });
    await expect(resumePipeline(directory, { backend: silent, stageBudgets })).rejects.toThrow(problem);
  });

  test('replaces that of the pipeline from the start, for each visit', async () => {
    const backend = spendingBackend(plan);
    const { result, events } = await runPipeline(line, { backend, stageBudgets: { plan: { usd: 0.04 } } });
    expect(result).toMatchObject({ status: 'paused', usage: { requests: 4 } });
    expect(eventsOf(events, 'PipelineStarted')[0]?.stage_budgets).toEqual({ plan: { usd: 0.04 } });
    expect(result.budgets).toContainEqual({ unit: 'usd', limit: 0.04, used: 0.04, node_id: 'plan' });
  });

  test('none lifts it, for the rest of the run', async () => {
    const twice = pipeline(
      'plan [budget_usd=0.02]',
      'gate [shape=hexagon]',
      'start -> plan -> gate; gate -> plan [label=Again]; gate -> exit [label=Done]',
    );
    const { directory } = await runPipeline(twice, { backend: spendingBackend(plan) });
    const stageBudgets = { plan: { usd: 'none' } } as const;
    const lifted = await resumePipeline(directory, { backend: spendingBackend(plan), stageBudgets });
    expect(lifted.result).toMatchObject({ status: 'paused', waiting_node: 'gate', usage: { requests: 7 } });
    const answers = { gate: ['Again', 'Done'] };
    const again = await resumePipeline(directory, { backend: spendingBackend(plan), answers });
    expect(again.result).toMatchObject({ status: 'success', usage: { requests: 12 } });
  });

  test('changes one unit, and leaves the other as it is', async () => {
    const both = line.replace('budget_usd=0.02', 'budget_usd=0.02, budget_tokens=250');
    const { directory } = await runPipeline(both, { backend: spendingBackend(plan) });
    const stageBudgets = { plan: { usd: 1 } };
    const more = await resumePipeline(directory, { backend: spendingBackend(plan), stageBudgets });
    expect(more.result.paused_reason).toContain('"plan" has used 300 tokens of the 250 tokens');
  });

  test('reaches a stage of a child by the names of both', async () => {
    const child = pipeline('work [budget_usd=0.02]', 'start -> work -> exit');
    const work = { work: plan.plan };
    const { directory, result } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': child },
      { backend: spendingBackend(work) },
    );
    expect(result).toMatchObject({ status: 'paused', usage: { requests: 2 } });
    const stageBudgets = { 'sub/work': { usd: 1 } };
    const more = await resumePipeline(directory, { backend: spendingBackend(work), stageBudgets });
    expect(more.result).toMatchObject({ status: 'success', usage: { requests: 7 } });
  });

  test('holds for each branch, and each item, that the stage runs for', async () => {
    const dot = pipeline(
      'inputs="names: list"',
      'fan [shape=component, foreach="${inputs.names}", as=name]',
      'work [budget_usd=0.02]',
      'join [shape=tripleoctagon, prompt=""]',
      'start -> fan -> work -> join -> exit',
    );
    const setup = { inputs: { names: ['x', 'y', 'z'] } };
    const work = { work: Array.from({ length: 3 }, () => ({})) };
    const { directory, result } = await runPipeline(dot, { ...setup, backend: spendingBackend(work) });
    expect(result).toMatchObject({ status: 'paused', usage: { requests: 6 } });
    const stageBudgets = { work: { usd: 0.06 } };
    const more = await resumePipeline(directory, { backend: spendingBackend(work), stageBudgets });
    expect(more.result).toMatchObject({ status: 'success', usage: { requests: 15 } });
  });
});
