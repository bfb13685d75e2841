import type { RunStatusName } from '../../server/api/run.js';
import { Icon, type IconName } from './icon.jsx';

/** The states that pictures have colours for (src/render/theme.ts): what `data-state` may say. */
export type ColourState = 'done' | 'failed' | 'running' | 'waiting' | 'skipped';

interface RunBadgeProps {
  readonly status: RunStatusName;
  /** Nothing else happens in the run: it waits for an answer. */
  readonly isAsking?: boolean;
}

/** The state of a run, by colour, sign and word. */
export function RunBadge({ status, isAsking = false }: RunBadgeProps) {
  const { word, colour, icon } = isAsking ? asking : runStates[status];
  return (
    <span class="badge" data-state={colour} data-status={status}>
      <Icon name={icon} size={13} />
      {word}
    </span>
  );
}

const asking = { word: 'Waits for an answer', colour: 'waiting', icon: 'question' } as const;

/** Words, colours and icons for the statuses of runs. */
export const runStates: Readonly<
  Record<RunStatusName, { readonly word: string; readonly colour: ColourState; readonly icon: IconName }>
> = {
  queued: { word: 'Queued', colour: 'skipped', icon: 'waiting' },
  running: { word: 'Running', colour: 'running', icon: 'busy' },
  paused: { word: 'Paused', colour: 'waiting', icon: 'paused' },
  interrupted: { word: 'Interrupted', colour: 'waiting', icon: 'broken' },
  success: { word: 'Succeeded', colour: 'done', icon: 'done' },
  fail: { word: 'Failed', colour: 'failed', icon: 'failed' },
  cancelled: { word: 'Cancelled', colour: 'skipped', icon: 'stopped' },
  damaged: { word: 'Damaged', colour: 'failed', icon: 'broken' },
};

/** True if the run changes only on request. */
export function isAtRest(status: RunStatusName): boolean {
  return status !== 'queued' && status !== 'running';
}
