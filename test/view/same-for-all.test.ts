import { expect, test } from 'vitest';
import { outgoingEdges } from '../../src/graph/queries.js';
import { activeStages } from '../../src/view/active-stages.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { emptyView, narrowScope } from '../../src/view/fold/run-view.js';
import { overlayOf } from '../../src/view/overlay-of.js';
import { overviewOf } from '../../src/view/run-overview.js';
import { stepsOf } from '../../src/view/run-status.js';
import { shownVisits } from '../../src/view/shown-visits.js';
import { stageDetail } from '../../src/view/stage-detail.js';
import { summarizeRun } from '../../src/view/summarize-run.js';
import { timeline } from '../../src/view/timeline.js';
import { pipeline, programOf, resumePipeline, runOnDisk, runPipeline } from '../run/harness.js';

// What those who look at a run once said differently.

const left = pipeline('ask [shape=hexagon]', 'b', 'start -> ask', 'ask -> b [label="[Y] Yes"]', 'b -> exit');

test('§6.4 a gate that was left behind is cut off, for all who look', async () => {
  const first = await runOnDisk(left);
  expect(first.result.status).toBe('paused');
  const second = await resumePipeline(first.directory, {}, { from: 'b' });
  expect(second.result.status).toBe('success');

  const ask = timeline(first.directory, 100).visits.find(({ node_id }) => node_id === 'ask');
  expect(ask).toMatchObject({ status: 'cut_off' });
  expect(ask?.ended_at).not.toBeNull();
  expect(stageDetail(first.directory, 'ask')?.visits).toMatchObject([{ status: 'cut_off' }]);

  const events = [...first.events, ...second.events];
  const { graph } = programOf(left);
  const edgeOf = (nodeId: string, branch: number) => outgoingEdges(graph, nodeId)[branch]?.index;
  const resumed = events.findIndex(({ type }) => type === 'PipelineResumed') + 1;
  for (const count of [resumed, events.length]) {
    const view = applyAll(emptyView({ ...narrowScope, rows: 100 }), events.slice(0, count));
    const visits = shownVisits(view, true);
    expect(visits.find(({ nodeId }) => nodeId === 'ask')?.status).toBe('cut_off');
    expect(activeStages(view)).toEqual([]);
    expect(overlayOf(view, edgeOf, 'running').nodes.get('ask')).toMatchObject({ words: 'cut off' });
  }
});

test('99 the quality of a run counts failed branches, for all who look', async () => {
  const dot = pipeline(
    'p [shape=component, error_policy=ignore]',
    'j [shape=tripleoctagon]',
    'start -> p',
    'p -> a',
    'a -> j [condition="outcome=skipped"]',
    'p -> b -> j',
    'j -> exit',
  );
  const { result, directory } = await runOnDisk(dot, { simulate: true });
  expect(result).toMatchObject({ status: 'success', quality: 'degraded' });
  expect(overviewOf(directory, 0).quality).toBe('degraded');
});

test.each([
  { name: 'ends at its exit', edges: ['start -> a -> b -> c -> exit'], status: 'success', steps: 3 },
  {
    name: 'ends at a stage that no edge leaves',
    edges: ['a', 'b', 'start -> a -> b', 'a -> exit [condition="outcome=fail"]'],
    status: 'success',
    steps: 2,
  },
  {
    name: 'fails at its exit',
    edges: ['start -> a -> exit'],
    script: { exit: { outcome: 'fail' } },
    status: 'fail',
    steps: 1,
  },
  {
    name: 'fails at a stage',
    edges: ['start -> a -> b -> exit'],
    script: { b: { outcome: 'fail' } },
    status: 'fail',
    steps: 2,
  },
  {
    name: 'waits at a gate',
    edges: ['gate [shape=hexagon]', 'start -> a -> gate -> b -> exit'],
    status: 'paused',
    steps: 1,
  },
  {
    name: 'was restarted',
    edges: ['start -> a -> b -> exit', 'b -> a [loop_restart=true, condition="outcome=partial_success"]'],
    script: { b: [{ outcome: 'partial_success' }, { outcome: 'success' }] },
    status: 'success',
    steps: 2,
  },
] as const)(
  '88 the steps of a run that $name are the same in its result, its overview and the list of runs',
  async ({ edges, status, steps, ...given }) => {
    const script = 'script' in given ? given.script : {};
    const { result, directory } = await runOnDisk(pipeline(...edges), { script });
    expect(result).toMatchObject({ status, steps });
    expect(overviewOf(directory, 0).stages_done).toBe(steps);
    expect(summarizeRun(directory).steps).toBe(steps);
  },
);

test('the steps of a run whose journal does not name the exit are those before it', async () => {
  const { result, events } = await runPipeline(pipeline('start -> a -> b -> exit'));
  const older = events.map((event) =>
    event.type === 'PipelineStarted' ? { ...event, exit: undefined } : event,
  );
  expect(stepsOf(applyAll(emptyView(), older))).toBe(result.steps);
});

test('what is under way in a run is cut off when the run is over, and continues when it is resumed', async () => {
  const first = await runPipeline(left);
  const [begun] = [first.events.findIndex(({ type }) => type === 'InterviewStarted') + 1];
  const header = { seq: begun + 1, run_id: 'r', timestamp: '2030-01-01T00:00:00.000Z', description: '' };
  const view = applyAll(emptyView({ ...narrowScope, rows: 100 }), [
    ...first.events.slice(0, begun),
    { ...header, type: 'PipelineCancelled', duration: 1 },
  ]);
  const statusOfAsk = () => shownVisits(view, true).find(({ nodeId }) => nodeId === 'ask')?.status;
  expect(statusOfAsk()).toBe('cut_off');
  applyAll(view, [{ ...header, type: 'PipelineResumed', from: 'cancelled' }]);
  expect(statusOfAsk()).toBe('asking');
});
