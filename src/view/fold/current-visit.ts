import { mainCursor } from '../../machine/state.js';
import type { RunView } from './run-view.js';
import { continueWork, isUnderWay, type UnderWay, type VisitRecord } from './visit-record.js';

/** Changes the latest visit in the branch of an event. */
export function changeVisit(
  view: RunView,
  { branch }: { readonly branch?: string },
  change: (visit: VisitRecord) => void,
): void {
  const visit = view.current.get(branch ?? mainCursor);
  if (visit !== undefined) change(visit);
}

/** Changes the state of the current visit in the branch of an event. */
export function changeState(
  view: RunView,
  event: { readonly branch?: string; readonly timestamp: string },
  status: UnderWay,
): void {
  changeVisit(view, event, (visit) => {
    if (!isUnderWay(visit.status)) return;
    visit.status = status;
    visit.since = event.timestamp;
    continueWork(visit);
  });
}
