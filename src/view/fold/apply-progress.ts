import { isUnpriced, pricesEarlier } from '../../machine/budget.js';
import { describeCompaction, describeRetry } from '../../machine/describe-wait.js';
import type {
  BudgetExceeded,
  BudgetWarning,
  ConversationCompacting,
  EdgeSelected,
  EventHeader,
  LogAppended,
  ModelUsed,
  RequestRetrying,
  StageOutput,
  ToolCallCompleted,
  ToolCallStarted,
} from '../../machine/event.js';
import { addUsage, noUsage } from '../../machine/usage.js';
import { changeVisit } from './current-visit.js';
import { isoTime } from './iso-time.js';
import type { RunView, UsageView } from './run-view.js';
import { addAhead, addText, closeText, discardText, type TextPart } from './stage-text.js';
import { noCalls, withCall, withoutCall } from './tool-calls.js';
import {
  closeOutput,
  discardOutput,
  keepLatest,
  noteOutput,
  noteToolCall,
  noteToolResult,
} from './visit-details.js';
import { continueWork } from './visit-record.js';

export function modelUsed(view: RunView, event: ModelUsed): void {
  const { node_id: nodeId, provider, model } = event;
  const { usage } = view;
  usage.total = addUsage(usage.total, event.usage);
  const node = usage.byNode.get(nodeId);
  const models = node?.models.has(model) ? node.models : new Set(node?.models).add(model);
  const sum = addUsage(node?.usage ?? noUsage, event.usage);
  usage.byNode.set(nodeId, { usage: sum, provider, model, models });
  const key = JSON.stringify([provider, model]);
  const before = usage.byModel.get(key)?.usage ?? noUsage;
  usage.byModel.set(key, { provider, model, usage: addUsage(before, event.usage) });
  let isOfVisit = false;
  changeVisit(view, event, (visit) => {
    // That of a stopped stage may come when its branch is on to another.
    if (visit.index !== event.index) return;
    isOfVisit = true;
    if (visit.stream) closeText(visit.stream);
    visit.usage = addUsage(visit.usage ?? noUsage, event.usage);
    continueWork(visit);
    if (visit.details) closeOutput(visit.details);
  });
  if (isOfVisit) notePrice(usage, event);
  else if (isUnpriced(event.usage) && !usage.unpriced.has(event.model)) usage.unpriced.set(event.model, 1);
}

/** Records a price: an agent may report at the end of its turn the cost of all of it. */
function notePrice({ unpriced, unpricedNow }: UsageView, { model, usage, branch = '' }: ModelUsed): void {
  const now = unpricedNow.get(branch) ?? new Set();
  if (pricesEarlier(usage)) {
    for (const one of now) {
      const attempts = (unpriced.get(one) ?? 0) - 1;
      if (attempts > 0) unpriced.set(one, attempts);
      else unpriced.delete(one);
    }
    now.clear();
  }
  if (!isUnpriced(usage) || now.has(model)) return;
  unpricedNow.set(branch, now.add(model));
  unpriced.set(model, (unpriced.get(model) ?? 0) + 1);
}

export function budgetReported(
  { usage }: RunView,
  { scope, unit, limit, used, node_id }: BudgetWarning | BudgetExceeded,
): void {
  if (scope === 'run' || node_id === undefined) return;
  usage.ofStages.set(`${unit} ${node_id}`, { unit, limit, used, node_id });
}

export function stageSaid(view: RunView, event: StageOutput): void {
  changeVisit(view, event, (visit) => {
    if (visit.stream) addText(visit.stream, view.scope.text, event);
    visit.calls = noCalls;
    continueWork(visit);
    if (visit.details) noteOutput(visit.details, event);
  });
}

/**
 * Takes in text of a model before its event, which comes when there is more of it: for views in the process that
 * executes the run.
 */
export function hearText(view: RunView, branch: string | undefined, part: TextPart): void {
  changeVisit(view, { branch }, (visit) => {
    if (visit.stream) addAhead(visit.stream, part);
    visit.calls = noCalls;
    continueWork(visit);
  });
}

/** Notes a pause, and removes the part of a reply that comes again after it. */
export function requestRetrying(view: RunView, event: RequestRetrying & EventHeader): void {
  changeVisit(view, event, (visit) => {
    if (event.discards_text && visit.stream) discardText(visit.stream);
    visit.doing = describeRetry(event);
    visit.until = isoTime(Date.parse(event.timestamp) + event.delay);
    if (visit.details && event.discards_text) discardOutput(visit.details);
  });
}

export function conversationCompacting(view: RunView, event: ConversationCompacting): void {
  changeVisit(view, event, (visit) => {
    visit.doing = describeCompaction(event);
    visit.until = null;
  });
}

export function toolCalled(view: RunView, event: ToolCallStarted): void {
  changeVisit(view, event, (visit) => {
    visit.toolCalls += 1;
    visit.calls = withCall(visit.calls, event);
    continueWork(visit);
    if (visit.details) noteToolCall(visit.details, event);
  });
}

export function toolAnswered(view: RunView, event: ToolCallCompleted): void {
  changeVisit(view, event, (visit) => {
    visit.calls = withoutCall(visit.calls, event);
    if (visit.details) noteToolResult(visit.details, event);
  });
}

export function edgeSelected(view: RunView, event: EdgeSelected): void {
  const { from, to, reason, edge, label = null, condition = null, loop_restart } = event;
  changeVisit(view, event, (visit) => {
    if (visit.nodeId !== from) return;
    visit.next = { to, label, condition, reason, loop_restart: loop_restart === true };
  });
  if (edge !== undefined) view.edges.set(edge, (view.edges.get(edge) ?? 0) + 1);
  // The edges that the branches took into the join show the way.
  else if (reason !== 'join') {
    const key = JSON.stringify([from, to, reason]);
    view.jumps.set(key, { from, to, reason, count: (view.jumps.get(key)?.count ?? 0) + 1 });
  }
}

export function logAppended(view: RunView, event: LogAppended & EventHeader): void {
  const { node_id, level, message, timestamp: at } = event;
  const { warnings: maximum } = view.scope;
  if (level === 'warning' && maximum > 0) {
    view.warnings.push({ message, node_id, at });
    if (view.warnings.length > 2 * maximum) view.warnings = view.warnings.slice(-maximum);
  }
  // Without details, no visit is needed.
  if (node_id === undefined || view.scope.details === 0) return;
  const visit = [...view.current.values()].findLast((one) => one.nodeId === node_id);
  if (visit?.details) keepLatest(visit.details.log, { level, message, at });
}
