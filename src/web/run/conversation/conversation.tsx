import type { ComponentChildren } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { counted } from '../../../diagnostic/counted.js';
import { type WaitStep, waitsOf, withWaits } from '../../../view/conversation/conversation-waits.js';
import { formatBytes } from '../../../view/format-values.js';
import { stageActivity, visitUnderWay } from '../../../view/stage-activity.js';
import type { StageVisit } from '../../../view/stage-schema.js';
import { Button } from '../../ui/button.jsx';
import { EmptyState } from '../../ui/empty-state.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { StageDoing } from '../inspector/live-output.jsx';
import { PendingWords } from '../inspector/steering.jsx';
import type { LiveRun } from '../model/live-run.js';
import type { ConversationFeed } from './conversation-feed.js';
import { Step, type ThreadStep } from './conversation-step.jsx';
import {
  heldRange,
  rangeFrom,
  resolveRange,
  type ShownRange,
  stepsAtOnce,
  withEarlier,
  withLater,
} from './shown-range.js';
import { useConversation } from './use-conversation.js';
import { useThreadScroll } from './use-thread-scroll.js';

export interface ConversationProps {
  readonly runId: string;
  /** Path of the stage at the server. */
  readonly path: string;
  readonly visit: StageVisit;
  readonly live: LiveRun;
}

/** Conversation of a visit with its model or agent as a thread, which grows while the stage runs (SEMANTICS 123). */
export function Conversation({ runId, path, visit, live }: ConversationProps) {
  const isRunning = visit.ended_at === null;
  const { events } = live.now();
  const { feed, reload } = useConversation(path, visit.visit, isRunning, stampOf(live, visit));
  const version = feed.version.value;
  const waits = useWaits(live, visit, events.length);
  const all = useMemo(() => withWaits(feed.steps, waits), [feed, version, waits]);
  const [attempt, setAttempt] = useState<number>();
  const steps = useMemo(() => stepsOf(all, attempt), [all, attempt]);
  if (feed.failure !== undefined && !feed.isWhole)
    return <ProblemNotice failure={feed.failure} onRetry={reload} />;
  if (steps.length === 0 && !feed.isWhole) return <Loading what="the conversation" />;
  return (
    <div class="conversation">
      {feed.damaged > 0 && (
        <p class="notice" data-state="failed">
          {counted(feed.damaged, 'line')} of <code>conversation.jsonl</code>{' '}
          {feed.damaged === 1 ? 'is' : 'are'} damaged and left out.
        </p>
      )}
      <Thread
        key={`${visit.index} ${attempt}`}
        steps={steps}
        isRunning={isRunning}
        tools={
          <>
            <AttemptChoice steps={all} attempt={attempt} onAttempt={setAttempt} />
            <Count feed={feed} steps={all} />
          </>
        }
      />
      {isRunning && <Now live={live} visit={visit} />}
      {isRunning && <PendingWords runId={runId} visit={visit} />}
    </div>
  );
}

interface ThreadProps {
  readonly steps: readonly ThreadStep[];
  readonly isRunning: boolean;
  readonly tools: ComponentChildren;
}

function Thread({ steps, isRunning, tools }: ThreadProps) {
  const [range, setRange] = useState<ShownRange>(isRunning ? { kind: 'end' } : rangeFrom(0));
  const list = useRef<HTMLOListElement>(null);
  const total = steps.length;
  const { first, end } = resolveRange(range, total);
  const scroll = useThreadScroll(list, range.kind === 'end', (isAtEnd) => {
    if (!isAtEnd) setRange(heldRange(range, total));
    else if (isRunning && end === total) setRange({ kind: 'end' });
  });
  const change = (next: ShownRange): void => {
    scroll.keepPlace();
    setRange(next);
  };
  const goTo = (step: number): void => {
    scroll.goToTop();
    setRange(rangeFrom(step));
  };
  return (
    <>
      <div class="row conversation-tools">
        {tools}
        {(total > stepsAtOnce || isRunning) && (
          <span class="row conversation-jumps">
            <TurnField steps={steps} onGo={goTo} />
            <Button look="quiet" onClick={() => goTo(0)}>
              Start
            </Button>
            <Button
              look="quiet"
              aria-pressed={range.kind === 'end'}
              onClick={() => setRange({ kind: 'end' })}
            >
              {isRunning ? 'Follow' : 'End'}
            </Button>
          </span>
        )}
      </div>
      {total === 0 && (
        <EmptyState
          title={isRunning ? 'Nothing to read yet' : 'Nothing was said'}
          icon={isRunning ? 'waiting' : 'empty'}
        />
      )}
      {first > 0 && (
        <Button class="conversation-more" onClick={() => change(withEarlier(range, total))}>
          Show {Math.min(first, stepsAtOnce)} earlier of {first.toLocaleString()}
        </Button>
      )}
      <ol class="thread" ref={list} aria-label="Conversation">
        {steps.slice(first, end).map((step, offset) => (
          <li key={first + offset} data-step={first + offset}>
            <Step step={step} />
          </li>
        ))}
      </ol>
      {end < total && (
        <Button class="conversation-more" onClick={() => change(withLater(range, total))}>
          Show {Math.min(total - end, stepsAtOnce)} later of {(total - end).toLocaleString()}
        </Button>
      )}
    </>
  );
}

/** Jumps to a turn by its number. */
function TurnField({
  steps,
  onGo,
}: {
  readonly steps: readonly ThreadStep[];
  readonly onGo: (step: number) => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const turns = steps.flatMap((step) => (step.kind === 'turn' ? [step.number] : []));
  const [least, most] = [turns[0], turns.at(-1)];
  if (least === undefined || most === undefined || turns.length < 2) return null;
  const go = (): void => {
    const wanted = Math.min(most, Math.max(least, Number(field.current?.value ?? least)));
    const step = steps.findIndex((one) => one.kind === 'turn' && one.number >= wanted);
    if (step >= 0) onGo(step);
  };
  return (
    <form
      class="row turn-field"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <label class="small muted" for={id}>
        Turn
      </label>
      <input id={id} ref={field} class="input number" type="number" min={least} max={most} required />
      <Button type="submit" look="quiet">
        Go
      </Button>
    </form>
  );
}

interface AttemptChoiceProps {
  readonly steps: readonly ThreadStep[];
  readonly attempt: number | undefined;
  readonly onAttempt: (attempt: number | undefined) => void;
}

function AttemptChoice({ steps, attempt, onAttempt }: AttemptChoiceProps) {
  const attempts = [...new Set(steps.flatMap((step) => (step.kind === 'attempt' ? [step.attempt] : [])))];
  if (attempts.length < 2) return null;
  return (
    <label class="field attempt-choice">
      <span class="visually-hidden">Attempt</span>
      <select
        value={attempt ?? ''}
        onChange={({ currentTarget: { value } }) => onAttempt(value === '' ? undefined : Number(value))}
      >
        <option value="">all {attempts.length} attempts</option>
        {attempts.map((one) => (
          <option key={one} value={one}>
            attempt {one}
          </option>
        ))}
      </select>
    </label>
  );
}

function Count({ feed, steps }: { readonly feed: ConversationFeed; readonly steps: readonly ThreadStep[] }) {
  const turns = steps.reduce((count, { kind }) => count + (kind === 'turn' ? 1 : 0), 0);
  const isLong = feed.size > 2_000_000;
  return (
    <span class="muted small number" role="status">
      {counted(turns, 'turn')}
      {!feed.isWhole && isLong && ` so far: ${formatBytes(feed.read)} of ${formatBytes(feed.size)} read`}
    </span>
  );
}

function Now({ live, visit }: { readonly live: LiveRun; readonly visit: StageVisit }) {
  const latest = visitUnderWay(live.now().view, visit.node_id);
  const activity = latest?.index === visit.index ? stageActivity(latest) : undefined;
  return activity === undefined ? null : <StageDoing activity={activity} />;
}

/** Pauses of a visit; each event is looked at once. */
function useWaits(live: LiveRun, visit: StageVisit, count: number): readonly WaitStep[] {
  const known = useRef<{ readonly of: unknown; readonly seen: number; readonly waits: readonly WaitStep[] }>(
    undefined,
  );
  const key = `${visit.index} ${visit.ended_at}`;
  const before = known.current?.of === key ? known.current : { of: key, seen: 0, waits: [] };
  if (before.seen < count || before !== known.current) {
    const more = waitsOf(live.events.slice(before.seen), visit);
    known.current = {
      of: key,
      seen: count,
      waits: more.length === 0 ? before.waits : [...before.waits, ...more],
    };
  }
  return known.current?.waits ?? [];
}

/** Steps of an attempt, or of all of them. */
function stepsOf(steps: readonly ThreadStep[], attempt: number | undefined): readonly ThreadStep[] {
  if (attempt === undefined) return steps;
  let current = 0;
  return steps.filter((step) => {
    if (step.kind === 'attempt') current = step.attempt;
    return current === attempt;
  });
}

/** Changes when there may be more to read. */
function stampOf({ view }: LiveRun, { index, node_id: nodeId, status, attempts }: StageVisit): string {
  const visit = visitUnderWay(view, nodeId);
  const growing =
    visit?.index === index ? [visit.toolCalls, visit.calls.open.length, visit.usage?.requests] : [];
  return [index, status, attempts.length, ...growing].join(' ');
}
