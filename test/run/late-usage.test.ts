import { expect } from 'vitest';
import { untilAborted } from '../../src/abort/abort.js';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Execution } from '../../src/run/execution.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { emptyView } from '../../src/view/fold/run-view.js';
import { eventsOf, pipeline, resumePipeline, runPipeline, testEach } from './harness.js';

const line = pipeline('a', 'start -> a -> exit');
const branches = pipeline(
  'fan [shape=component, join_policy=first_success]',
  'join [shape=tripleoctagon]',
  'start -> fan',
  'fan -> a -> join',
  'fan -> b -> join',
  'join -> exit',
);

/** The reply to `a` is interrupted whenever it is stopped; its provider has said by then what it costs. */
function interruptedBackend(): CodergenBackend {
  return {
    async run(node, _prompt, _context, call) {
      if (node.id !== 'a') return 'done';
      await untilAborted(new Promise<never>(() => undefined), call.signal);
      const usage = { requests: 1, input_tokens: 60, output_tokens: 40, cost_usd: 1 };
      call.report({ kind: 'model_used', provider: 'test', model: 'm', usage });
      throw call.signal.reason;
    },
  };
}

const rows = [
  {
    name: 'paused at once',
    dot: line,
    stop: (run: Execution) => run.pause({ mode: 'now' }),
    status: 'paused',
  },
  { name: 'cancelled', dot: line, stop: (run: Execution) => run.cancel(), status: 'cancelled' },
  { name: 'in a branch that others made needless', dot: branches, stop: () => undefined, status: 'success' },
];

testEach(
  rows.map((row) => ({
    ...row,
    name: `126: what the provider reported of a reply counts that was ${row.name}`,
  })),
  async ({ dot, stop, status }) => {
    let execution: Execution | undefined;
    const { result, events, directory } = await runPipeline(dot, {
      backend: interruptedBackend(),
      onStart: (started) => {
        execution = started;
      },
      onEvent: (event) => {
        if (event.type === 'StageStarted' && event.node_id === 'a' && execution !== undefined)
          stop(execution);
      },
    });
    expect(result).toMatchObject({ status, usage: { cost_usd: 1 } });
    expect(eventsOf(events, 'ModelUsed')).toMatchObject([{ node_id: 'a', visit: 1, attempt: 1 }]);
    const view = applyAll(emptyView(), events);
    expect(view.usage.total.cost_usd).toBe(1);
    if (status !== 'paused') return;
    // The budget that a pause has half used up is not whole again.
    const refused = await resumePipeline(directory, { backend: interruptedBackend(), budgetUsd: 1 });
    expect(refused.result).toMatchObject({ status: 'paused', usage: { cost_usd: 1 } });
  },
);
