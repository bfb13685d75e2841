import { expect, it } from 'vitest';
import { findEventTypes } from './find-event-types.js';

it.each([
  ["switch (type) { case 'StageStarted': return; }", ['1: StageStarted']],
  ["if (event.type !== 'StageFailed') return;", ['1: StageFailed']],
  ["const ends = new Set(['PipelineCompleted', 'other']);", ['1: PipelineCompleted']],
  ["const event = { type: 'StageStarted' };", []],
  ["type Started = Extract<RunEvent, { type: 'StageStarted' }>;", []],
  ["case_('FREEFORM'); if (type === 'FREEFORM') return;", []],
])('%s', (text, found) => {
  expect(findEventTypes(text)).toEqual(found);
});
