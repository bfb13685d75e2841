import type { ComponentChildren } from 'preact';
import { tokensOf } from '../../machine/usage.js';
import type { RunDetail } from '../../server/api/run.js';
import { formatCount, formatMoney } from '../../view/format-values.js';
import { part } from '../api/request.js';
import { hrefOf } from '../route.js';
import { CopyButton } from '../ui/copy-button.jsx';
import { Icon } from '../ui/icon.jsx';
import { RunBadge } from '../ui/run-badge.jsx';
import { Age, Duration } from '../ui/times.jsx';
import { BudgetBar } from './budget-bar.jsx';
import { FailureReason } from './failure-reason.jsx';

interface RunHeaderProps {
  readonly run: RunDetail;
  /** Nothing happens in it but that it waits for an answer. */
  readonly isAsking: boolean;
  /** Pause, cancel, resume, fork. */
  readonly actions: ComponentChildren;
}

/** Milliseconds up to the end of a run, or to the last event of one that waits; null while it runs. */
function durationOf({
  status,
  start_time,
  end_time,
  last_event_time,
  duration_ms,
}: RunDetail): number | null {
  if (status === 'running') return null;
  if (end_time !== null || last_event_time === null) return duration_ms;
  return Date.parse(last_event_time) - Date.parse(start_time);
}

/** Says which stages did no real work. */
function simulatedTitle({ simulated, simulated_stages }: RunHeaderProps['run']): string {
  return simulated ? 'No stage does any real work' : `Simulated: ${simulated_stages.join(', ')}`;
}

/** Header of a run: its identity, its status, and its actions. */
export function RunHeader({ run, isAsking, actions }: RunHeaderProps) {
  const base = `pipelines/${part(run.id)}`;
  const cost = run.usage.cost_usd;
  const tokens = tokensOf(run.usage);
  return (
    <header class="run-head">
      <div class="run-title">
        <h1>{run.name === '' ? run.id : run.name}</h1>
        <RunBadge status={run.status} isAsking={isAsking} />
        {(run.simulated || run.simulated_stages.length > 0) && (
          <span class="badge badge-outline" title={simulatedTitle(run)}>
            simulated
          </span>
        )}
      </div>
      {run.goal !== '' && <p class="run-goal">{run.goal}</p>}
      <dl class="facts">
        <Fact name="Began">
          <Age at={run.start_time} />
        </Fact>
        <Fact name={run.status === 'running' ? 'Running for' : 'Took'}>
          <Duration from={run.start_time} ms={durationOf(run)} />
        </Fact>
        <Fact name="Stages done">
          <span class="number">{run.stages_done}</span>
          {run.retries > 0 && (
            <span class="muted">
              , {run.retries} {run.retries === 1 ? 'retry' : 'retries'}
            </span>
          )}
        </Fact>
        {cost !== undefined && <Fact name="Cost">{formatMoney(cost)}</Fact>}
        {tokens > 0 && <Fact name="Tokens">{formatCount(tokens)}</Fact>}
        {run.process?.worker && (
          <Fact name="Worker">
            <span class="mono small">{run.process.worker}</span>
          </Fact>
        )}
        {run.queue_position !== null && <Fact name="In the queue before it">{run.queue_position}</Fact>}
        <Fact name="Run">
          <code class="run-id">{run.id}</code>
          <CopyButton text={run.id} what="the run id" />
        </Fact>
      </dl>
      {run.budgets.some(({ node_id: node }) => node === null) && (
        <div class="run-budgets">
          {run.budgets.map(
            (budget) => budget.node_id === null && <BudgetBar key={budget.unit} budget={budget} />,
          )}
        </div>
      )}
      <Reason run={run} />
      <div class="run-actions">
        {actions}
        <nav class="row run-links" aria-label="Files of the run">
          <FileLink href={`${base}/report`} text="Report" />
          <FileLink href={`${base}/source`} text="DOT" />
          <FileLink href={`${base}/graph`} text="Picture" />
        </nav>
      </div>
    </header>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function FileLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {text} <Icon name="external" size={12} />
    </a>
  );
}

/** Reason why the run is not continuing, with advice. */
function Reason({ run }: { readonly run: RunDetail }) {
  switch (run.status) {
    case 'paused':
      return run.paused_reason === null ? null : (
        <p class="notice" data-state="waiting">
          Paused: {run.paused_reason}
        </p>
      );
    case 'interrupted':
      return (
        <p class="notice" data-state="waiting">
          {run.failure_reason === null
            ? 'The process that executed it has ended in the middle.'
            : `It was stopped: ${run.failure_reason.replace(/\.$/, '')}.`}{' '}
          Resume it, and it continues where it was.
        </p>
      );
    case 'fail':
      return run.failure_reason === null ? null : (
        <FailureReason reason={run.failure_reason}>
          {run.failed_node === null ? (
            'Failed: '
          ) : (
            <>
              Failed at{' '}
              <a href={hrefOf({ kind: 'stage', runId: run.id, nodeId: run.failed_node })}>
                {run.failed_node}
              </a>
              :{' '}
            </>
          )}
        </FailureReason>
      );
    case 'damaged':
      return (
        <p class="notice" data-state="failed">
          Its files cannot be read as those of a run.
        </p>
      );
    case 'queued':
      return run.waits_for === null ? null : (
        <p class="notice" data-state="waiting">
          It waits for {run.waits_for}.
        </p>
      );
    case 'running':
    case 'success':
    case 'cancelled':
      return null;
  }
}
