import type { RunEvent, StageCompleted, StageFailed, StageSkipped } from '../../machine/event.js';
import type { ExchangeName } from './exchange.js';

/** Attempt of a stage, in the words of a journal. */
export type AttemptName = Omit<ExchangeName, 'call'>;

/** Attempt that had an outcome. */
export interface SettledAttempt extends AttemptName {
  /** Undefined on the main line. */
  readonly branch: string | undefined;
  readonly event: StageCompleted | StageFailed | StageSkipped;
}

/** Attempts of a journal with an outcome of their own, in that order; stopped ones had none. */
export function settledAttempts(events: readonly RunEvent[]): readonly SettledAttempt[] {
  let directory = '';
  return events.flatMap((event): SettledAttempt[] => {
    if (event.type === 'LoopRestarted') directory = event.directory;
    if (event.type !== 'StageCompleted' && event.type !== 'StageFailed' && event.type !== 'StageSkipped')
      return [];
    if (isStopped(event)) return [];
    const { node_id, visit, attempt, branch } = event;
    return [{ place: directory, node_id, visit, attempt, branch, event }];
  });
}

/** Attempts that were stopped because the run continued without them, or failed. */
export function givenUpAttempts(events: readonly RunEvent[]): readonly AttemptName[] {
  const givenUp: AttemptName[] = [];
  const open = new Map<string, AttemptName>();
  let place = '';
  for (const event of events) {
    switch (event.type) {
      case 'LoopRestarted':
        place = event.directory;
        break;
      case 'StageStarted':
        open.set(attemptKey({ ...event, place }), { ...event, place });
        break;
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
        open.delete(attemptKey({ ...event, place }));
        if (isStopped(event)) givenUp.push({ ...event, place });
        break;
      case 'PipelineFailed':
        givenUp.push(...open.values());
        open.clear();
    }
  }
  return givenUp;
}

function isStopped(event: SettledAttempt['event']): boolean {
  return event.type === 'StageSkipped' && event.stopped === true;
}

export function attemptKey({ place, node_id, visit, attempt }: AttemptName): string {
  return JSON.stringify([place, node_id, visit, attempt]);
}
