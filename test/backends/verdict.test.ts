import { expect, test } from 'vitest';
import { readVerdict } from '../../src/backends/verdict.js';
import { eventsOf, pipeline } from '../run/harness.js';
import { calls } from '../support/mock-models.js';
import { bench } from './ai/bench.js';

const ways = { labels: ['[A] Approve', 'Reject', 'approve'], targets: ['a', 'b'], isChoice: true };

test.each([
  ['APPROVE', '[A] Approve'],
  ['approve', 'approve'],
  [' reject', 'Reject'],
  ['Reject', 'Reject'],
])('App. C: the label %j is handed on as the pipeline writes it: %j', (said, written) => {
  const reading = readVerdict({ outcome: 'success', preferred_label: said }, ways);
  expect(reading).toEqual({ kind: 'outcome', outcome: { status: 'success', preferred_label: written } });
});

test('App. C: a label that is spelled differently meets the condition that asks for it', async () => {
  const { run } = await bench([
    calls(['report_outcome', { outcome: 'success', preferred_label: 'approve' }]),
  ]);
  const { events } = await run(
    pipeline(
      'work [prompt="Decide.", llm_model="claude-sonnet-4-5"]',
      'yes [shape=parallelogram, tool_command="true"]',
      'no [shape=parallelogram, tool_command="true"]',
      'start -> work',
      'work -> yes [condition="preferred_label=Approve"]',
      'work -> no',
      'yes -> exit',
      'no -> exit',
    ),
  );
  expect(eventsOf(events, 'EdgeSelected').map(({ to }) => to)).toEqual(['work', 'yes', 'exit']);
});
