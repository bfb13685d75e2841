import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { activeVisits } from '../../../src/view/active-stages.js';
import { applyAll } from '../../../src/view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../../../src/view/fold/run-view.js';
import { shownVisits } from '../../../src/view/shown-visits.js';
import { pipeline } from '../../run/harness.js';
import { eventsOf } from '../../web/run/simulated-events.js';

// §9.6: what the page tells of the visits of stages is what their events say.

const told = (events: readonly RunEvent[]): readonly string[] =>
  shownVisits(folded(events), true).map(({ nodeId, visit, branch, status, attempts, next }) => {
    const tries = attempts.map((attempt) => attempt.status).join('+');
    return `${branch === undefined ? '' : `${branch}/`}${nodeId} ${visit}: ${status} (${tries})${next === undefined ? '' : ` > ${next.to}`}`;
  });

function folded(events: readonly RunEvent[]): RunView {
  return applyAll(emptyView({ ...narrowScope, rows: 100 }), events);
}

function latestOf(view: RunView, nodeId: string) {
  return shownVisits(view, true).findLast((visit) => visit.nodeId === nodeId);
}

const loop = pipeline('a', 'b', 'start -> a -> b', 'b -> a [label=again]', 'b -> exit [label=done]');
const twice = { nodes: { b: [{ preferred_label: 'again' }, { preferred_label: 'done' }] } };
const retried = pipeline('a [max_retries=3, retry_policy=linear]', 'start -> a -> exit');
const fanOut = pipeline(
  'p [shape=component]',
  'j [shape=tripleoctagon]',
  'start -> p',
  'p -> x -> j',
  'p -> y -> j',
  'j -> exit',
);

describe('the visits of a run', () => {
  it('§3.2 are counted by loops, each with where control went from it', async () => {
    expect(told(await eventsOf(loop, twice))).toEqual([
      'start 1: success (success) > a',
      'a 1: success (success) > b',
      'b 1: success (success) > a',
      'a 2: success (success) > b',
      'b 2: success (success) > exit',
      'exit 1: success (success)',
    ]);
  });

  it('§3.5 hold their attempts', async () => {
    const events = await eventsOf(retried, {
      nodes: { a: [{ outcome: 'retry' }, { outcome: 'retry' }, { outcome: 'success' }] },
    });
    expect(told(events)).toContain('a 1: success (retry+retry+success) > exit');
    const [visit] = shownVisits(folded(events), true).filter(({ nodeId }) => nodeId === 'a');
    const times = visit?.attempts.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]) ?? [];
    expect(times).toEqual([...times].sort());
    expect(visit?.endedAt).toBe(times.at(-1));
  });

  it('§4.8 say in which branch they were, and a parallel node how it does meanwhile', async () => {
    const events = await eventsOf(fanOut);
    expect(told(events)).toEqual(
      expect.arrayContaining(['x/x 1: success (success) > j', 'y/y 1: success (success) > j']),
    );
    const begun = events.findIndex(({ type }) => type === 'ParallelStarted') + 1;
    expect(latestOf(folded(events.slice(0, begun)), 'p')?.status).toBe('branches');
  });

  it('are cut off where the run ends without them, and run again where it is resumed', async () => {
    const events = await eventsOf(retried, { nodes: { a: { outcome: 'success' } } });
    const begun = events.slice(
      0,
      events.findIndex(
        ({ type, ...rest }) => type === 'StageStarted' && 'node_id' in rest && rest.node_id === 'a',
      ) + 1,
    );
    const last = begun.at(-1);
    if (last?.type !== 'StageStarted') throw new Error('the stage of the test did not begin');
    const header = { seq: 0, run_id: last.run_id, description: '' };
    const cancelled: RunEvent = {
      ...header,
      type: 'PipelineCancelled',
      duration: 1,
      timestamp: '2026-01-01T00:01:00.000Z',
    };
    expect(latestOf(folded([...begun, cancelled]), 'a')).toMatchObject({
      status: 'cut_off',
      endedAt: Date.parse(cancelled.timestamp),
    });
    const again: RunEvent = { ...last, resumed: true, timestamp: '2026-01-01T00:02:00.000Z' };
    const log = folded([...begun, again]);
    expect(latestOf(log, 'a')?.attempts.map(({ status }) => status)).toEqual(['cut_off', 'running']);
    expect(activeVisits(log).map(({ nodeId }) => nodeId)).toEqual(['a']);
    expect(
      latestOf(
        folded([...begun, cancelled, { ...again, type: 'PipelineResumed', from: 'cancelled' }, again]),
        'a',
      ),
    ).toMatchObject({
      status: 'running',
      endedAt: undefined,
    });
  });

  it('are not mixed up by names such as __proto__', async () => {
    const dot = pipeline('__proto__', 'constructor', 'start -> __proto__ -> constructor -> exit');
    const log = folded(await eventsOf(dot));
    expect(['__proto__', 'constructor', 'toString'].map((id) => latestOf(log, id)?.status)).toEqual([
      'success',
      'success',
      undefined,
    ]);
  });
});
