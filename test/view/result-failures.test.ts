import { expect, test } from 'vitest';
import { overviewOf } from '../../src/view/run-overview.js';
import { jsonOf, pipeline, runOnDisk } from '../run/harness.js';

const failedItem = { outcome: 'fail', failure_reason: 'red', failure_category: 'retryable' };

// SEMANTICS 114: the result has retries and failures by stage, the same as the view of the run.

test('a result counts failures and retries of each stage, with the last reason and its category', async () => {
  const dot = pipeline(
    'a [max_retries=2]',
    'b',
    'start -> a -> b',
    'b -> a [condition="outcome=fail"]',
    'b -> exit [condition="outcome!=fail"]',
  );
  const failed = (reason: string, category?: string) => ({
    outcome: 'fail',
    failure_reason: reason,
    failure_category: category,
  });
  const script = {
    a: [failed('flaky', 'retryable'), failed('flaky again', 'retryable'), {}, {}],
    b: [failed('red', 'terminal'), {}],
  };
  const run = await runOnDisk(dot, { script });
  const result = jsonOf(run.directory, 'result.json');
  const a = {
    node_id: 'a',
    count: 2,
    retries: 2,
    reason: 'flaky again',
    category: 'retryable',
    recovered: true,
  };
  const b = { node_id: 'b', count: 1, retries: 0, reason: 'red', category: 'terminal', recovered: true };
  expect(result).toMatchObject({ status: 'success', retries: 2, failures: [a, b] });
  expect(overviewOf(run.directory, 0)).toMatchObject({ retries: result.retries, failures: result.failures });
});

test.each([
  { what: 'another item has succeeded', retries: 0, w: [failedItem, {}], recovered: false },
  { what: 'its next attempt has succeeded', retries: 1, w: [failedItem, {}, {}], recovered: true },
  {
    what: 'the next attempt of another item has succeeded',
    retries: 1,
    w: [failedItem, failedItem, failedItem, {}],
    recovered: false,
  },
])(
  'a stage has recovered only in the branch in which it had failed: $what',
  async ({ retries, w, recovered }) => {
    const dot = pipeline(
      'graph [inputs="l: list"]',
      'each [shape=component, foreach="${inputs.l}", as=x, join=met, max_parallel=1]',
      `w [max_retries=${retries}]`,
      'met',
      'start -> each -> w -> met -> exit',
    );
    const run = await runOnDisk(dot, { inputs: { l: [1, 0] }, script: { w } });
    const result = jsonOf(run.directory, 'result.json');
    expect(result.status).toBe('success');
    expect(result.failures).toMatchObject([{ node_id: 'w', recovered }]);
    expect(overviewOf(run.directory, 0)).toMatchObject({ failures: result.failures });
  },
);
