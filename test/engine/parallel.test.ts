import { describe, expect, test } from 'vitest';
import { eventsOf, jsonOf, pipeline, runPipeline } from './harness.js';

const fan = (attributes = '', ...more: readonly string[]) =>
  pipeline(
    `fan [shape=component${attributes}]`,
    'a [type=custom]; b [type=custom]; c [type=custom]',
    'join [shape=tripleoctagon]',
    'start -> fan',
    'fan -> a -> join; fan -> b -> join; fan -> c -> join',
    'join -> exit',
    ...more,
  );

describe('11.12: parallel fan-out and fan-in complete correctly', () => {
  test('every branch runs, the results come in the order of the edges, and the run goes on at the join', async () => {
    const { result, events, directory } = await runPipeline(fan(), {
      handlers: { custom: ({ node }) => ({ status: 'success', notes: `did ${node.id}` }) },
    });
    expect(result.status).toBe('success');
    expect(result.path).toEqual(['start', 'fan', 'a', 'b', 'c', 'join', 'exit']);
    expect(result.context['parallel.fan_in.best_id']).toBe('a');
    expect(result.context['parallel.results']).toEqual([]);
    expect(eventsOf(events, 'ParallelStarted')).toMatchObject([{ branch_count: 3, join: 'join' }]);
    expect(eventsOf(events, 'ParallelBranchCompleted').map(({ branch }) => branch)).toEqual(['a', 'b', 'c']);
    expect(eventsOf(events, 'ParallelCompleted')).toMatchObject([{ success_count: 3, failure_count: 0 }]);
    expect(jsonOf(directory, 'a', 'status.json')).toMatchObject({ outcome: 'success' });
  });
});
