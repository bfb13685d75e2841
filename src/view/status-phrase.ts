import type { OverviewStatus } from './run-status.js';

/** A status in a sentence about a run. */
export function statusPhrase(status: OverviewStatus | 'damaged'): string {
  switch (status) {
    case 'queued':
      return 'is queued';
    case 'running':
      return 'is running';
    case 'paused':
      return 'is paused';
    case 'interrupted':
      return 'was interrupted: the process that executed it has died';
    case 'success':
      return 'has already finished (success)';
    case 'fail':
      return 'has failed';
    case 'cancelled':
      return 'is cancelled';
    case 'damaged':
      return 'is damaged';
  }
}
