import { describe, expect, test } from 'vitest';
import type { RunBounds } from '../../src/run/run-options.js';
import { runProject, subPipeline } from './children/children.js';
import { pipeline, resumePipeline, runPipeline } from './harness.js';
import { spendingBackend } from './spending-backend.js';

const bounds = (given: Omit<RunBounds, 'setBy'>): RunBounds => ({ setBy: 'attractor serve', ...given });

describe('the bounds of whoever executes a run', () => {
  const itself = (more = ''): string =>
    pipeline(more, 'sub [type=pipeline, child="main.dot"]', 'start -> sub -> exit');
  const depths = [
    [
      'over what the author allows',
      '"limits.depth"=500',
      3,
      /nested 3 levels deep.*`attractor serve --max-depth`\) is 3/,
    ],
    ['over the default', '', 2, /nested 2 levels deep.*`attractor serve --max-depth`\) is 2/],
    [
      'not over a lower limit of the author',
      '"limits.depth"=1',
      3,
      /nested 1 levels deep.*`limits\.depth`\) is 1/,
    ],
  ] as const;

  test.each(depths)('hold for the depth of pipelines, %s', async (_, author, maxDepth, reason) => {
    const { result } = await runProject({ 'main.dot': itself(author) }, { bounds: bounds({ maxDepth }) });
    expect(result).toMatchObject({ status: 'fail', failure_reason: expect.stringMatching(reason) });
  });

  const three = (more = ''): string => pipeline(more, 'a', 'b', 'c', 'start -> a -> b -> c -> exit');
  const atTwo = '2 stages, the limit set by `--max-steps` (of the run, or of `attractor serve`)';
  const steps = [
    ['over the default', '', undefined, atTwo],
    ['over what the author allows', 'max_steps=900', undefined, atTwo],
    ['over what the call asks for', '', 900, atTwo],
    [
      'not over a lower limit of the author',
      'max_steps=1',
      undefined,
      '1 stage, the limit set by `max_steps`',
    ],
    ['not over a lower one of the call', '', 1, '1 stage, the limit set by `--max-steps`'],
  ] as const;

  test.each(steps)('hold for the stages of a run, %s', async (_, author, maxSteps, reason) => {
    const given = { maxSteps, bounds: bounds({ maxSteps: 2 }), backend: spendingBackend() };
    const { result, directory } = await runPipeline(three(author), given);
    expect(result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining(reason) });
    const again = await resumePipeline(directory, { ...given, maxSteps: maxSteps === 1 ? 1 : 900 });
    const limit = maxSteps === 1 ? reason : atTwo;
    expect(again.result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining(limit) });
  });

  test('hold for the stages of each child', async () => {
    const given = { bounds: bounds({ maxSteps: 2 }), backend: spendingBackend() };
    const { result } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': three('max_steps=900') },
      given,
    );
    expect(result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining(atTwo) });
  });

  const overCost = '$0.02 of the $0.02 that `attractor serve --budget-usd` allows a run';
  const costs = [
    ['where the author lifts his', 'budget_usd=none', overCost],
    ['where nobody says one', '', '$0.02 of the $0.02 allowed by its budget'],
    ['over what the author allows', 'budget_usd=5', overCost],
    ['not over a lower budget of the author', 'budget_usd=0.01', '$0.01 of the $0.01 allowed by its budget'],
  ] as const;

  test.each(costs)('hold for the costs of a run, %s, and pause it', async (_, author, reason) => {
    const given = { bounds: bounds({ budgetUsd: 0.02 }), backend: spendingBackend() };
    const { result, directory } = await runPipeline(three(author), given);
    expect(result).toMatchObject({ status: 'paused', paused_reason: expect.stringContaining(reason) });
    const more = await resumePipeline(directory, { ...given, budgetUsd: 9 });
    expect(more.result).toMatchObject({ status: 'paused', paused_reason: expect.stringContaining(overCost) });
    const lifted = await resumePipeline(directory, {
      ...given,
      budgetUsd: 9,
      bounds: bounds({ budgetUsd: 1 }),
    });
    expect(lifted.result.status).toBe('success');
  });

  test('count what the children of a run cost, once', async () => {
    const given = { bounds: bounds({ budgetUsd: 0.02 }), backend: spendingBackend() };
    const { result } = await runProject({ 'main.dot': subPipeline(), 'child.dot': three() }, given);
    expect(result).toMatchObject({
      status: 'paused',
      paused_reason: expect.stringContaining('$0.02 of the $0.02 allowed by its budget'),
    });
    expect(given.backend.begun).toEqual(['a', 'b']);
  });
});
