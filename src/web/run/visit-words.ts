import type { VisitStatus } from '../../view/fold/visit-record.js';
import type { ColourState } from '../ui/run-badge.jsx';

/** Words and colours for the statuses of a visit. */
export const visitWords: Readonly<
  Record<VisitStatus, { readonly word: string; readonly colour: ColourState }>
> = {
  running: { word: 'running', colour: 'running' },
  branches: { word: 'runs its branches', colour: 'running' },
  waiting: { word: 'waits for the next attempt', colour: 'waiting' },
  asking: { word: 'asks', colour: 'waiting' },
  suspended: { word: 'suspended', colour: 'waiting' },
  success: { word: 'succeeded', colour: 'done' },
  partial_success: { word: 'partly succeeded', colour: 'done' },
  fail: { word: 'failed', colour: 'failed' },
  retry: { word: 'asked to be tried again', colour: 'waiting' },
  skipped: { word: 'skipped', colour: 'skipped' },
  cut_off: { word: 'cut off', colour: 'skipped' },
};
