import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/view/fold/apply.js';
import { emptyView, narrowScope } from '../../../src/view/fold/run-view.js';
import { formatDuration } from '../../../src/view/format-duration.js';
import { lanesOf } from '../../../src/web/run/model/lanes.js';
import { labelledTicks, placeIn, shifted, ticksOf, zoomed } from '../../../src/web/run/model/time-scale.js';
import { pipeline } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';
import { eventsOf } from './simulated-events.js';

// §3.2, §4.8: when the visits of stages were, on one scale of time.

const begin = Date.UTC(2026, 0, 1);
const anyWindow = fc
  .tuple(fc.nat(1_000_000), fc.integer({ min: 10, max: 100_000_000 }))
  .map(([from, length]) => ({ from: begin + from, to: begin + from + length }));

describe('a scale of time', () => {
  it('never leaves the whole when it is looked at closer or moved, and goes back to all of it', () => {
    fc.assert(
      fc.property(
        anyWindow,
        fc.array(
          fc.tuple(
            fc.boolean(),
            fc.double({ min: 0.01, max: 4, noNaN: true }),
            fc.double({ min: 0, max: 1, noNaN: true }),
          ),
        ),
        (whole, moves) => {
          let shown = whole;
          for (const [isZoom, by, at] of moves) {
            shown = isZoom ? zoomed(shown, whole, at, by) : shifted(shown, whole, by - 2);
            expect(shown.from).toBeGreaterThanOrEqual(whole.from - 1);
            expect(shown.to).toBeLessThanOrEqual(whole.to + 1);
            expect(shown.to).toBeGreaterThan(shown.from);
          }
          expect(zoomed(shown, whole, 0.5, 1e12)).toEqual(whole);
        },
      ),
    );
  });

  it('places what it shows between its ends, and has few ticks', () => {
    fc.assert(
      fc.property(anyWindow, fc.nat(100_000_000), fc.nat(1_000_000), (shown, start, length) => {
        const place = placeIn(shown, begin + start, begin + start + length);
        if (place !== undefined) {
          expect(place.left).toBeGreaterThanOrEqual(0);
          expect(place.left + place.width).toBeLessThanOrEqual(1.000001);
        }
        expect(ticksOf(shown, begin, 6).length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it('has labels that neither overlap nor are cut off, however narrow it is', () => {
    fc.assert(
      fc.property(anyWindow, fc.integer({ min: 40, max: 2000 }), (shown, width) => {
        const ticks = labelledTicks(shown, begin, width, formatDuration);
        const spans = ticks.map(({ left, label }) => {
          return { from: left * width, to: left * width + label.length * 7.5 + 3 };
        });
        for (const [index, { to }] of spans.entries())
          expect(to).toBeLessThanOrEqual(spans[index + 1]?.from ?? width);
        if (width > 400) expect(spans.length).toBeGreaterThan(0);
      }),
    );
  });

  it.each([
    [0, 10_000, [0, 2000, 4000, 6000, 8000, 10_000]],
    [1500, 3500, [1500, 2000, 2500, 3000, 3500]],
    [0, 7_200_000, [0, 1_800_000, 3_600_000, 5_400_000, 7_200_000]],
  ])('from %d to %d has round ticks', (from, to, ticks) => {
    expect(ticksOf({ from: begin + from, to: begin + to }, begin, 6)).toEqual(ticks);
  });
});

describe('the lanes of a timeline', () => {
  it('§4.8 hold branches side by side, and those of a later round in the same lanes', async () => {
    const dot = pipeline(
      'p [shape=component]',
      'j [shape=tripleoctagon]',
      'c',
      'start -> p',
      'p -> x -> x2 -> j',
      'p -> y -> j',
      'j -> c',
      'c -> p [label=again]',
      'c -> exit [label=done]',
    );
    const delay = { delay: '2s' };
    const script = {
      nodes: {
        x: delay,
        x2: delay,
        y: delay,
        c: [{ preferred_label: 'again' }, { preferred_label: 'done' }],
      },
    };
    const scope = { ...narrowScope, rows: 100 };
    const view = applyAll(emptyView(scope), await eventsOf(dot, script));
    const lanes = lanesOf(view.visits.visits, begin);
    expect(lanes.map(({ spans }) => spans.map(({ visit }) => visit.nodeId))).toEqual([
      ['start', 'p', 'j', 'c', 'p', 'j', 'c', 'exit'],
      expect.arrayContaining(['x', 'x2']),
      expect.arrayContaining(['y']),
    ]);
    for (const { spans } of lanes.slice(1)) {
      for (const [index, span] of spans.entries()) {
        expect(span.startedAt).toBeGreaterThanOrEqual(spans[index - 1]?.endedAt ?? 0);
      }
    }
  });
});
