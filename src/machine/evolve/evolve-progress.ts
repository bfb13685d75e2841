import { isUnpriced, pricesEarlier } from '../budget.js';
import { changeCursor, type Draft } from '../draft.js';
import type {
  BudgetExceeded,
  BudgetWarning,
  ModelUsed,
  SessionStarted,
  StageSteered,
  SteeringDelivered,
} from '../event.js';
import { mainCursor } from '../state.js';
import { addUsage, noUsage } from '../usage.js';

/** Adds the usage of a stage to its visit, unless its branch has ended, its node and the whole run. */
export function modelUsed(draft: Draft, event: ModelUsed): void {
  const { node_id: nodeId, branch, model, usage, child_run: child, child_seq: seq } = event;
  draft.usage = draft.usage.set(nodeId, addUsage(draft.usage.get(nodeId) ?? noUsage, usage));
  draft.totalUsage = addUsage(draft.totalUsage, usage);
  if (child !== undefined && seq !== undefined) draft.childUsage = draft.childUsage.set(child, seq);
  if (draft.cursors.get(branch ?? mainCursor)?.index !== event.index) {
    if (isUnpriced(usage) && !draft.unpricedModels.get(model)) countUnpriced(draft, model, 1);
    return;
  }
  const cursor = changeCursor(draft, branch);
  cursor.visitUsage = addUsage(cursor.visitUsage, usage);
  if (pricesEarlier(usage)) {
    for (const one of cursor.unpriced) countUnpriced(draft, one, -1);
    cursor.unpriced = [];
  }
  if (!isUnpriced(usage) || cursor.unpriced.includes(model)) return;
  cursor.unpriced = [...cursor.unpriced, model];
  countUnpriced(draft, model, 1);
}

function countUnpriced(draft: Draft, model: string, change: 1 | -1): void {
  draft.unpricedModels = draft.unpricedModels.set(model, (draft.unpricedModels.get(model) ?? 0) + change);
}

/** Records a report about a budget, so that it is made once (SEMANTICS §12). */
export function budgetReported(
  draft: Draft,
  { type, scope, unit, limit, branch }: BudgetWarning | BudgetExceeded,
): void {
  const holder = scope === 'run' ? draft : changeCursor(draft, branch);
  holder.reportedBudgets = {
    ...holder.reportedBudgets,
    [unit]: { limit, isExceeded: type === 'BudgetExceeded' },
  };
}

/** Records the conversation of a thread, which later stages continue (§5.4). */
export function sessionStarted(draft: Draft, event: SessionStarted): void {
  const { backend, session_id } = event;
  draft.sessions = draft.sessions.set(event.thread_id, { backend, session_id });
}

/** Words of a person wait until the model gets them. */
export function stageSteered(draft: Draft, event: StageSteered): void {
  const cursor = changeCursor(draft, event.branch);
  const { steering_id: id, text, by } = event;
  cursor.words = [...cursor.words, { id, text, by }];
}

export function steeringDelivered(draft: Draft, event: SteeringDelivered): void {
  const cursor = changeCursor(draft, event.branch);
  cursor.words = cursor.words.filter(({ id }) => id !== event.steering_id);
}
