import { expect, test } from 'vitest';
import { untilAborted } from '../../src/abort/abort.js';
import { raisedBudgets } from '../../src/cli/output/raised-budgets.js';
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

/** The reply to `a` is interrupted whenever it is stopped; its provider has said by then what it costs, if it knows. */
function interruptedBackend({ isPriced = true, onReport = () => {} } = {}): CodergenBackend {
  return {
    async run(node, _prompt, _context, call) {
      if (node.id !== 'a') return 'done';
      call.checkBudget();
      await untilAborted(new Promise<never>(() => undefined), call.signal);
      const usage = { requests: 1, input_tokens: 60, output_tokens: 40, cost_usd: isPriced ? 1 : undefined };
      call.report({ kind: 'model_used', provider: 'test', model: 'm', usage });
      onReport();
      throw call.signal.reason;
    },
  };
}

/** Plays a pipeline whose stage `a` is stopped, or paused at once, as soon as it has begun. */
async function play(
  dot: string,
  backend: CodergenBackend,
  stop = (run: Execution) => run.pause({ mode: 'now' }),
) {
  let execution: Execution | undefined;
  return runPipeline(dot, {
    backend,
    onStart: (started) => {
      execution = started;
    },
    onEvent: (event) => {
      if (event.type === 'StageStarted' && event.node_id === 'a' && execution !== undefined) stop(execution);
    },
  });
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
    const { result, events, directory } = await play(dot, interruptedBackend(), stop);
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

test('126: what a stage used that waits for an answer counts while another branch works', async () => {
  let isCounted: () => void = () => undefined;
  const counted = new Promise<void>((resolve) => {
    isCounted = resolve;
  });
  const dot = pipeline(
    'fan [shape=component]',
    'join [shape=tripleoctagon]',
    'start -> fan',
    'fan -> a -> join',
    'fan -> b -> join',
    'join -> exit',
  );
  const asking = interruptedBackend({ onReport: () => isCounted() });
  const { result, events } = await runPipeline(dot, {
    backend: {
      async run(node, prompt, context, call) {
        if (node.id !== 'a') return counted.then(() => 'done');
        void call.ask({ text: 'Which?', type: 'FREEFORM' }).catch(() => undefined);
        return asking.run(node, prompt, context, call);
      },
    },
  });
  expect(result).toMatchObject({ status: 'paused', usage: { cost_usd: 1 } });
  expect(eventsOf(events, 'ModelUsed')).toMatchObject([{ node_id: 'a', visit: 1, attempt: 1 }]);
});

test('126: a budget of a stage that was used up late is said when the run is resumed, with a larger one', async () => {
  const dot = pipeline('a [budget_usd=1]', 'start -> a -> exit');
  const { directory } = await play(dot, interruptedBackend());
  const { result, events } = await resumePipeline(directory, { backend: interruptedBackend() });
  expect(result.status).toBe('paused');
  expect(eventsOf(events, 'BudgetExceeded')).toMatchObject([{ scope: 'stage', node_id: 'a', used: 1 }]);
  expect(raisedBudgets(result)).toBe(' --stage-budget a=2');
});

test('126: a budget of the run that a needless branch uses up late pauses the run', async () => {
  const dot = branches.replace('digraph G {', 'digraph G { graph [budget_usd=1]');
  const { result, events } = await play(dot, interruptedBackend(), () => undefined);
  expect(result.status).toBe('paused');
  expect(eventsOf(events, 'BudgetExceeded')).toMatchObject([{ scope: 'run', used: 1 }]);
  expect(raisedBudgets(result)).toBe(' --budget-usd 2');
});

test('126: a model without a price whose first use comes late is named when the run is resumed', async () => {
  const dot = pipeline('a [budget_usd=1]', 'start -> a -> exit');
  const { directory, events } = await play(dot, interruptedBackend({ isPriced: false }));
  expect(eventsOf(events, 'LogAppended')).toEqual([]);
  const backend: CodergenBackend = { run: async () => 'done' };
  const resumed = await resumePipeline(directory, { backend });
  expect(resumed.result.status).toBe('success');
  expect(eventsOf(resumed.events, 'LogAppended')).toMatchObject([
    { level: 'warning', message: expect.stringContaining('no price is known for the model "m"') },
  ]);
});
