import { expect, test } from 'vitest';
import { outgoingEdges } from '../../src/graph/queries.js';
import { activeStages } from '../../src/view/active-stages.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { emptyView, narrowScope } from '../../src/view/fold/run-view.js';
import { overlayOf } from '../../src/view/run-overlay.js';
import { overviewOf } from '../../src/view/run-overview.js';
import { shownVisits } from '../../src/view/shown-visits.js';
import { stageDetail } from '../../src/view/stage-detail.js';
import { summarizeRun } from '../../src/view/summarize-run.js';
import { timeline } from '../../src/view/timeline.js';
import { pipeline, programOf, resumePipeline, runOnDisk, runPipeline } from '../run/harness.js';

// Three things about which those who look at a run once said different things.

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
    'a -> j [condition="preferred_label=never"]',
    'p -> b -> j',
    'j -> exit',
  );
  const { result, directory } = await runOnDisk(dot, { simulate: true });
  expect(result).toMatchObject({ status: 'success', quality: 'degraded' });
  expect(overviewOf(directory, 0).quality).toBe('degraded');
});

test('88 the steps of a run are counted alike by its result, its overview and the list of runs', async () => {
  const { result, directory } = await runOnDisk(pipeline('start -> a -> b -> c -> exit'), { simulate: true });
  expect(result.steps).toBe(3);
  expect(overviewOf(directory, 0).stages_done).toBe(3);
  expect(summarizeRun(directory).steps).toBe(3);
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
