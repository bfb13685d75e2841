import { stripStyles } from '../../diagnostic/terminal-text.js';
import type { RunListEntry } from '../../server/api/run.js';
import { formatCount, formatMoney } from '../../view/format-values.js';
import { hrefOf } from '../route.js';
import { Icon } from '../ui/icon.jsx';
import { RunBadge } from '../ui/run-badge.jsx';
import { Age, Duration } from '../ui/times.jsx';

/** Table of the runs, which becomes cards on a phone. Unknown values are dashes. */
export function RunTable({ runs }: { readonly runs: readonly RunListEntry[] }) {
  return (
    <table class="list-table run-table panel">
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Run</th>
          <th scope="col">Started</th>
          <th scope="col" class="amount">
            Duration
          </th>
          <th scope="col" class="amount">
            Cost
          </th>
          <th scope="col" class="amount">
            Tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ run }: { readonly run: RunListEntry }) {
  const { id, name, status, start_time, duration_ms, cost_usd, tokens } = run;
  // A waiting run has no duration yet; one that asked no model has no costs.
  const hasDuration = duration_ms !== null || status === 'running';
  const hasUsage = tokens !== null && tokens > 0;
  return (
    <tr>
      <td class="cell-state">
        <RunBadge status={status} isAsking={status === 'running' && run.only_asks === true} />
      </td>
      <td class="cell-run">
        <div class="row">
          <a class="run-name" href={hrefOf({ kind: 'run', runId: id })} title={id} data-run-link="">
            {name}
          </a>
          {run.open_questions > 0 && <QuestionMark count={run.open_questions} />}
          {run.simulated && (
            <span class="badge badge-outline" title="Simulated stages did no real work">
              simulated
            </span>
          )}
        </div>
        <Subtitle run={run} />
      </td>
      <td class="cell-age">
        <Age at={start_time} />
      </td>
      <td class={`amount ${hasDuration ? '' : 'cell-unknown'}`}>
        <span class="cell-label">{duration_ms === null ? 'for ' : 'took '}</span>
        {hasDuration ? <Duration from={start_time} ms={duration_ms} /> : '–'}
      </td>
      <td class={`amount number ${hasUsage && cost_usd !== null ? '' : 'cell-unknown'}`}>
        <span class="cell-label">cost </span>
        {hasUsage && cost_usd !== null ? formatMoney(cost_usd) : '–'}
      </td>
      <td class={`amount number ${hasUsage ? '' : 'cell-unknown'}`}>
        {hasUsage ? formatCount(tokens) : '–'}
        <span class="cell-label"> tokens</span>
      </td>
    </tr>
  );
}

/** Reason of a failure, or the current node; else the goal; and the worker. */
function Subtitle({
  run: { status, goal, failure_reason: reason, current_node: node, worker, waits_for: awaited },
}: {
  readonly run: RunListEntry;
}) {
  if (status === 'fail' && reason !== null)
    return <p class="run-subtitle run-failure">{stripStyles(reason)}</p>;
  const isGoing = !['queued', 'success', 'fail', 'cancelled'].includes(status) && node !== null;
  return (
    <p class="run-subtitle">
      {isGoing && (
        <>
          at <span class="mono">{node}</span>
          {(goal !== '' || worker !== null) && ' · '}
        </>
      )}
      {goal}
      {awaited !== null && `${goal === '' ? '' : ' · '}waits for ${awaited}`}
      {worker !== null && (
        <>
          {goal !== '' && ' · '}
          on <span class="mono">{worker}</span>
        </>
      )}
    </p>
  );
}

function QuestionMark({ count }: { readonly count: number }) {
  return (
    <span class="badge" data-state="waiting">
      <Icon name="question" size={13} />
      {count === 1 ? '1 question' : `${count} questions`}
    </span>
  );
}
