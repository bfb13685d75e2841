import { describe, expect, test } from 'vitest';
import { eventsOf, jsonOf, pipeline, runPipeline } from '../run/harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'start -> A -> exit');

describe('4.3, 4.4: the handlers of start and exit', () => {
  test('the start succeeds at once', async () => {
    const { events, directory } = await runPipeline(linear);
    expect(eventsOf(events, 'StageCompleted')[0]).toMatchObject({
      node_id: 'start',
      outcome: { status: 'success' },
      duration: 0,
    });
    expect(jsonOf(directory, 'start', 'status.json').outcome).toBe('success');
  });

  test('the exit succeeds at once, where the engine has found all goal gates satisfied', async () => {
    const dot = pipeline('A [goal_gate=true, on_failure=continue]', 'start -> A -> exit');
    const { events, result } = await runPipeline(dot);
    expect(eventsOf(events, 'StageCompleted').at(-1)).toMatchObject({
      node_id: 'exit',
      outcome: { status: 'success' },
    });
    expect(result.path).toEqual(['start', 'A', 'exit']);
    const refused = await runPipeline(dot, { script: { A: fail } });
    expect(refused.result).toMatchObject({ status: 'fail', path: ['start', 'A'] });
  });
});
