import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { EventList, eventGroups, groupsOf } from '../../../src/web/run/model/event-list.js';
import { rowsInView } from '../../../src/web/run/model/rows-in-view.js';
import { pipeline } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';
import { eventsOf } from './simulated-events.js';

// §9.6: long lists of events stay usable.

describe('the rows in sight', () => {
  it('are all that can be seen, and few', () => {
    fc.assert(
      fc.property(
        fc.nat(200_000),
        fc.integer({ min: -50, max: 6_000_000 }),
        fc.nat(2000),
        (count, top, height) => {
          const { first, end } = rowsInView(count, { top, height, rowHeight: 28 });
          expect(first).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThanOrEqual(first);
          expect(end).toBeLessThanOrEqual(count);
          expect(end - first).toBeLessThanOrEqual(height / 28 + 2 * 8 + 2);
          const seen = Math.floor(Math.max(0, top) / 28);
          if (seen < count) expect([first <= seen, end > seen]).toEqual([true, true]);
        },
      ),
    );
  });
});

describe('the list of events', () => {
  const dot = pipeline('good', 'bad', 'start -> good -> bad -> exit');
  const events = () => eventsOf(dot, { nodes: { bad: { outcome: 'fail', failure_reason: 'No Power' } } });
  const typesOf = (list: readonly RunEvent[], found: readonly number[]) =>
    found.map((index) => list[index]?.type);

  it('is narrowed to problems, to a stage, or to words, in any case of letters', async () => {
    const all = await events();
    const list = new EventList(all);
    expect(typesOf(all, list.matching({ group: 'problems', text: '' }))).toEqual([
      'StageFailed',
      'PipelineFailed',
    ]);
    expect(typesOf(all, list.matching({ group: 'all', text: ' no power ' }))).toEqual([
      'StageFailed',
      'PipelineFailed',
    ]);
    expect(typesOf(all, list.matching({ group: 'stages', text: 'good' }))).toEqual([
      'StageStarted',
      'StageCompleted',
    ]);
    expect(list.matching({ group: 'all', text: '' })).toHaveLength(all.length);
    expect(list.matching({ group: 'people', text: '' })).toEqual([]);
  });

  it('finds what comes later too, under the same filter', async () => {
    const all = await events();
    const growing: RunEvent[] = [];
    const list = new EventList(growing);
    for (const event of all) {
      growing.push(event);
      list.matching({ group: 'stages', text: '' });
    }
    const found = list.matching({ group: 'stages', text: '' });
    expect(found).toEqual(all.flatMap((event, index) => (groupsOf(event).includes('stages') ? [index] : [])));
  });

  it('has every event in a group that can be chosen', async () => {
    for (const event of await events()) {
      expect(groupsOf(event).length).toBeGreaterThan(0);
      expect(eventGroups).toEqual(expect.arrayContaining([...groupsOf(event)]));
    }
  });
});
