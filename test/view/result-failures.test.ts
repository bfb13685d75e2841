import { expect, test } from 'vitest';
import { overviewOf } from '../../src/view/run-overview.js';
import { jsonOf, pipeline, runOnDisk } from '../run/harness.js';

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
