import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const ends = 'start [shape=Mdiamond]; done [shape=Msquare]';
const loop = `digraph p { graph [llm_model="claude-sonnet-4-5"]; ${ends}
  write [prompt="x", max_visits=3]; review [prompt="x"]
  start -> write -> review; review -> done [condition="outcome=success"]; review -> write [condition="outcome!=success"] }`;

async function bound(
  pipeline: string,
  more: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const cwd = directoryWith({ 'p.dot': pipeline, ...files });
  const { stdout, stderr, status } = await attractor(['cost', 'p.dot', '--bound', '--json', ...more], {
    cwd,
  });
  expect([status, stderr]).toEqual([0, '']);
  return { cwd, ...JSON.parse(stdout) };
}

describe('attractor cost --bound', () => {
  test('145: writes the script of a run that has as many stages as the bound', async () => {
    const { cwd, stages, model_attempts, requests, tokens, cost_usd } = await bound(loop, [
      '--script',
      's.json',
    ]);
    expect(stages).toMatchObject({ at_most: 6, is_reached: true });
    expect([model_attempts.at_most, requests.at_most]).toEqual([6, 6 * 104 * 6]);
    expect([tokens.at_most, tokens.by]).toEqual([null, null]);
    expect(cost_usd).toMatchObject({ at_most: 25, by: 'default', requests_beyond: 1, unpriced: [] });
    expect(JSON.parse(readFileSync(path.join(cwd, 's.json'), 'utf8'))).toEqual(stages.witness);
    const played = await attractor(['run', 'p.dot', '--simulate', '--script', 's.json', '--json'], { cwd });
    expect(JSON.parse(played.stdout).steps).toBe(6);
  });

  test('145: the script gives the inputs that a run requires', async () => {
    const asked = loop.replace('graph [', 'graph [inputs="topic: string", ');
    const { cwd } = await bound(asked, ['--script', 's.json']);
    const played = await attractor(['run', 'p.dot', '--simulate', '--script', 's.json', '--json'], { cwd });
    expect(JSON.parse(played.stdout).steps).toBe(6);
  });

  test.each([
    [
      'the budget of the run',
      'graph [budget_usd=2, budget_tokens=500]',
      { at_most: 2, by: 'run', requests_beyond: 1 },
    ],
    ['no budget', 'graph [budget_usd=none]', { at_most: null, by: null }],
    [
      'budgets of all stages',
      'write [budget_usd=0.5]; review [budget_usd=1.5]',
      { at_most: 6, by: 'stages', requests_beyond: 6 },
    ],
    ['a budget of only some stages', 'write [budget_usd=0.5]', { at_most: 25, by: 'default' }],
    [
      'a model without a price',
      'review [llm_model="house", llm_provider=anthropic]',
      { at_most: 25, unpriced: ['review'] },
    ],
  ])('145: bounds dollars by %s', async (_, more, expected) => {
    const { cost_usd } = await bound(loop.replace(ends, `${ends}; ${more}`));
    expect(cost_usd.at_most === null ? null : Math.round(cost_usd.at_most * 1000) / 1000).toEqual(
      expected.at_most,
    );
    expect(cost_usd).toMatchObject({ ...expected, at_most: cost_usd.at_most });
  });

  test('145: counts the branches that may be under way, and the items of a list', async () => {
    const text = `digraph p { graph [llm_model="claude-sonnet-4-5"]; ${ends}
      each [shape=component, foreach="\${inputs.files}", max_parallel=7]; one [prompt=x]; join [shape=tripleoctagon]
      start -> each -> one -> join -> done }`;
    const { stages, cost_usd } = await bound(text, ['--max-items', '20']);
    expect([stages.at_most, stages.is_reached, cost_usd.requests_beyond]).toEqual([22, null, 7]);
  });

  test('145: says of a coding agent that only a budget stops it, and takes the configuration', async () => {
    const config = JSON.stringify({
      ai: { max_requests: 10, request_retries: 0 },
      agents: { fixer: { command: ['fixer'] } },
    });
    const files = { 'attractor.config.yaml': config };
    const ai = await bound(loop, [], files);
    expect(ai.requests.at_most).toBe(6 * 14);
    const agent = await bound(loop.replace('review [', 'review [llm_provider=fixer, '), [], files);
    expect(agent.requests).toMatchObject({
      at_most: null,
      unlimited: [{ node_id: 'review', reason: 'no_limit' }],
    });
    expect(agent.cost_usd.turns_beyond).toEqual(['review']);
  });

  test('145: adds the pipelines of stages', async () => {
    const text = `digraph p { ${ends}; sub [type=pipeline, child="c/child.dot", max_retries=1]; start -> sub -> done }`;
    const child = `digraph c { ${ends}; a [prompt=x]; start -> a -> done }`;
    const { stages, model_attempts } = await bound(text, [], { 'c/child.dot': child });
    expect([stages.at_most, model_attempts.at_most]).toEqual([3, 2]);
  });

  test.each([
    [['cost', 'p.dot', '--max-items', '3'], '--max-items is only for --bound'],
    [['cost', 'p.dot', '--bound', '--max-items', '0'], 'Expected a number of at least 1'],
    [['cost', 'p.dot', '--bound', '--script', 'no/such/s.json'], 'cannot write to no/such/s.json'],
  ])('refuses %j', async (argv, message) => {
    const cwd = directoryWith({ 'p.dot': loop });
    const { status, stderr } = await attractor(argv, { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  const gate = `digraph p { graph [max_goal_gate_redirects=2]; ${ends}; a [prompt="a", goal_gate=true, retry_target=a]
    start -> a; a -> done [condition="outcome=success"]; a -> done [condition="outcome!=success"] }`;

  test('145: names no loop that a search over all runs proves to end', async () => {
    const { stages, model_attempts, open_loops } = await bound(gate);
    expect([stages.at_most, model_attempts.at_most, open_loops]).toEqual([3, 3, []]);
    const { open_loops: never, model_attempts: attempts } = await bound(
      `digraph p { ${ends}; a [prompt=x]; b [prompt=x]; start -> a; a -> a [condition="outcome=fail && outcome=success"]; a -> b -> done }`,
    );
    expect([never, attempts.at_most, attempts.limits]).toEqual([[], 2, [{ attribute: 'stages', value: 2 }]]);
  });

  test('145: prints the bounds where no run is found for a script, and says what was tried', async () => {
    const retried = `digraph p { ${ends}; t [prompt=x, max_retries=2]; u [prompt=x]; start -> t
      t -> u [condition="outcome=success && internal.retry_count.t > 7"]; t -> done; u -> done }`;
    const list = `digraph p { ${ends}; each [shape=component, foreach="\${inputs.files}"]; one [prompt=x]; join [shape=tripleoctagon]
      start -> each -> one -> join -> done }`;
    const cwd = directoryWith({ 'p.dot': retried, 'list.dot': list });
    for (const [file, stages, why] of [
      ['p.dot', '2', 'there may be one after start -> t; it depends on whether'],
      ['list.dot', '100,002', 'the items of a list are not searched'],
    ] as const) {
      const { stdout, stderr, status } = await attractor(['cost', file, '--bound', '--script', 's.json'], {
        cwd,
      });
      expect(status).toBe(1);
      expect(stdout).toMatch(new RegExp(`^stages +${stages}( |$)`, 'm'));
      expect(stderr).toContain('attractor: s.json is not written: no run with ');
      expect(stderr).toContain(`nor a proof that there is none; ${why}`);
    }
  });

  test('145: names a loop that only max_steps ends, for people', async () => {
    const cwd = directoryWith({});
    writeFileSync(path.join(cwd, 'p.dot'), loop.replace(', max_visits=3', ''));
    const { stdout } = await attractor(['cost', 'p.dot', '--bound'], { cwd });
    expect(stdout).toContain(
      '! only `max_steps` ends the loop write -> review -> write: set `max_visits` on one of its nodes, such as write',
    );
    expect(stdout).toContain('stages          1,000  max_steps=1000');
  });
});
