import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { graphStructure } from '../../../src/view/graph-structure.js';
import { overlayOf, type TracedChild } from '../../../src/view/overlay-of.js';
import type { OverviewStatus } from '../../../src/view/run-status.js';
import { edgesOfBranches, LiveRun } from '../../../src/web/run/model/live-run.js';
import { pipeline } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';
import { eventsOf } from './simulated-events.js';

// §9.6, SEMANTICS 73a: the page colours the graph by events alone.

const dot = pipeline(
  'a [max_retries=2]',
  'p [shape=component]',
  'j [shape=tripleoctagon]',
  'c',
  'start -> a -> p',
  'p -> x -> j',
  'p -> y -> j',
  'j -> c',
  'c -> a [label=again]',
  'c -> exit [label=done]',
);
const script = {
  nodes: {
    a: [{ outcome: 'retry' }, { outcome: 'success' }],
    c: [{ preferred_label: 'again' }, { preferred_label: 'done' }],
  },
};

function structure() {
  const { program } = compile(dot);
  if (program === undefined) throw new Error('the pipeline of the test does not compile');
  return graphStructure(program.graph);
}

function live(events: readonly RunEvent[]): LiveRun {
  const run = new LiveRun();
  run.add(events);
  return run;
}

function overlay(run: LiveRun, status: OverviewStatus, children: readonly TracedChild[] = []) {
  return overlayOf(run.view, edgesOfBranches(structure()), status, children);
}

describe('a run on the page', () => {
  it('73a counts every edge that control took, those into branches included, and how often stages were entered', async () => {
    const drawn = overlay(live(await eventsOf(dot, script)), 'success');
    const { edges } = structure();
    const taken = edges.map(({ from, to }, index) => `${from}>${to} ${drawn.edges.get(index) ?? 0}`);
    expect(taken).toEqual([
      'start>a 1',
      'a>p 2',
      'p>x 2',
      'x>j 2',
      'p>y 2',
      'y>j 2',
      'j>c 2',
      'c>a 1',
      'c>exit 1',
    ]);
    expect([...drawn.nodes].map(([id, { state, visits }]) => `${id} ${state} ${visits}`).sort()).toEqual([
      'a done 2',
      'c done 2',
      'exit done 1',
      'j done 2',
      'p done 2',
      'start done 1',
      'x done 2',
      'y done 2',
    ]);
  });

  it('is the same however its events come together', async () => {
    const events = await eventsOf(dot, script);
    const whole = live(events);
    fc.assert(
      fc.property(fc.array(fc.nat(events.length), { maxLength: 8 }), (cuts) => {
        const run = new LiveRun();
        const places = [0, ...cuts.sort((one, other) => one - other), events.length];
        for (const [index, from] of places.entries()) run.add(events.slice(from, places[index + 1] ?? from));
        expect(overlay(run, 'success')).toEqual(overlay(whole, 'success'));
        expect(run.view.visits.visits).toEqual(whole.view.visits.visits);
        expect([run.settled, run.view.turns, run.events.length]).toEqual([
          whole.settled,
          whole.view.turns,
          events.length,
        ]);
      }),
    );
  });

  it('does not change what it has folded when it is looked at', async () => {
    const run = live((await eventsOf(dot, script)).slice(0, 12));
    const before = overlay(run, 'running');
    overlay(run, 'cancelled', [{ node_id: 'a', name: 'child', status: 'fail' }]);
    expect(overlay(run, 'running')).toEqual(before);
  });
});
