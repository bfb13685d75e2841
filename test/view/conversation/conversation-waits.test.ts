import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import type { ConversationStep } from '../../../src/view/conversation/conversation-steps.js';
import { waitsOf, withWaits } from '../../../src/view/conversation/conversation-waits.js';

const time = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const retrying = (second: number, more: object = {}): RunEvent =>
  ({
    type: 'RequestRetrying',
    timestamp: time(second),
    node_id: 'work',
    delay: 20_000,
    reason: 'HTTP 429',
    ...more,
  }) as RunEvent;
const visit = { node_id: 'work', branch: null, started_at: time(2), ended_at: time(6) };
const retried = (second: number): ConversationStep => ({ kind: 'retried', at: time(second), reason: 'x' });

test('the pauses of a visit are those of its stage, its branch and its time', () => {
  const events = [
    retrying(1),
    retrying(2),
    retrying(3, { node_id: 'other' }),
    retrying(4, { branch: 'b' }),
    { ...retrying(5), type: 'StageOutput' } as RunEvent,
    retrying(5, { next_model: 'gpt-5', reason: 'HTTP 500' }),
    retrying(7),
  ];
  expect(waitsOf(events, visit)).toEqual([
    { kind: 'wait', at: time(2), text: 'waited 20 s after HTTP 429' },
    { kind: 'wait', at: time(5), text: 'asked gpt-5 after HTTP 500' },
  ]);
  expect(waitsOf(events, { ...visit, branch: 'b', ended_at: null })).toHaveLength(1);
});

test('pauses stand before what came after them', () => {
  const waits = waitsOf([retrying(2), retrying(3), retrying(5)], visit);
  const all = withWaits([retried(1), retried(4)], waits);
  expect(all.map(({ kind, at }) => [kind, at])).toEqual([
    ['retried', time(1)],
    ['wait', time(2)],
    ['wait', time(3)],
    ['retried', time(4)],
    ['wait', time(5)],
  ]);
});
