import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { VisitRecord } from '../../../view/fold/visit-record.js';
import { formatDuration } from '../../../view/format-duration.js';
import { shownVisits } from '../../../view/shown-visits.js';
import { Button } from '../../ui/button.jsx';
import { EmptyState } from '../../ui/empty-state.jsx';
import { useNow } from '../../ui/now.js';
import { lanesOf } from '../model/lanes.js';
import type { LiveRun } from '../model/live-run.js';
import { labelledTicks, placeIn, shifted, type TimeWindow, zoomed } from '../model/time-scale.js';
import { visitWords } from '../visit-words.js';
import { WindowedList } from '../windowed-list.jsx';
import { Lanes } from './lanes.jsx';

interface TimelineTabProps {
  readonly live: LiveRun;
  readonly isLive: boolean;
  readonly onOpen: (nodeId: string, visit: number) => void;
}

const rowHeight = 26;

/**
 * Timeline of all visits of stages (§3.2), with their attempts and waits, on one scale of time that can be
 * zoomed.
 */
export function TimelineTab({ live, isLive, onOpen }: TimelineTabProps) {
  const present = useNow();
  const [part, setPart] = useState<TimeWindow>();
  const visits = shownVisits(live.now().view, isLive);
  const begin = live.startedAt;
  if (begin === undefined || visits.length === 0)
    return <EmptyState title="No stage has begun yet" icon="waiting" />;
  const now = isLive ? Math.max(present, live.latestAt ?? present) : (live.latestAt ?? present);
  const whole = { from: begin, to: Math.max(begin + 1, now) };
  const shown = part ?? whole;
  const zoom = (factor: number, at = 0.5): void => {
    const next = zoomed(shown, whole, at, factor);
    setPart(next.from === whole.from && next.to === whole.to ? undefined : next);
  };
  const visitAt = (index: number): VisitRecord | undefined => visits[index];
  const lanes = lanesOf(visits, now);
  return (
    <div class="timeline">
      <div class="row timeline-tools">
        <Button look="quiet" icon="zoom-in" aria-label="Closer" onClick={() => zoom(0.5)} />
        <Button look="quiet" icon="zoom-out" aria-label="Further away" onClick={() => zoom(2)} />
        <Button
          look="quiet"
          icon="back"
          aria-label="Earlier"
          onClick={() => setPart(shifted(shown, whole, -0.5))}
        />
        <Button
          look="quiet"
          icon="forth"
          aria-label="Later"
          onClick={() => setPart(shifted(shown, whole, 0.5))}
        />
        <Button look="quiet" icon="fit" aria-label="Show all of it" onClick={() => setPart(undefined)} />
        <span class="muted small number">
          {visits.length} {visits.length === 1 ? 'visit' : 'visits'} in{' '}
          {formatDuration(whole.to - whole.from)}
        </span>
      </div>
      <WheelZoom onZoom={zoom}>
        <Axis shown={shown} begin={begin} />
        {lanes.length > 1 && <Lanes lanes={lanes} shown={shown} onOpen={onOpen} />}
        <WindowedList
          label="Visits of stages, in the order in which they began"
          class="timeline-list"
          count={visits.length}
          rowHeight={rowHeight}
          followsEnd={isLive && part === undefined}
          row={(index) => <VisitRow visit={visitAt(index)} shown={shown} now={now} />}
          onOpen={(index) => {
            const visit = visitAt(index);
            if (visit !== undefined) onOpen(visit.nodeId, visit.visit);
          }}
        />
      </WheelZoom>
    </div>
  );
}

interface WheelZoomProps {
  readonly onZoom: (factor: number, at: number) => void;
  readonly children: preact.ComponentChildren;
}

/** The wheel with Ctrl, or two fingers, looks closer where the pointer is. */
function WheelZoom({ onZoom, children }: WheelZoomProps) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      const bars = element.current?.querySelector('.axis-ticks')?.getBoundingClientRect();
      if (bars === undefined || bars.width === 0 || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const at = Math.min(1, Math.max(0, (event.clientX - bars.left) / bars.width));
      latest.current(Math.exp(event.deltaY * 0.005), at);
    };
    element.current?.addEventListener('wheel', onWheel, { passive: false });
    return () => element.current?.removeEventListener('wheel', onWheel);
  }, []);
  return (
    <div class="timeline-body" ref={element}>
      {children}
    </div>
  );
}

function Axis({ shown, begin }: { readonly shown: TimeWindow; readonly begin: number }) {
  const bar = useRef<HTMLDivElement>(null);
  const width = useWidth(bar);
  return (
    <div class="axis" aria-hidden="true">
      <span class="timeline-name" />
      <div class="axis-ticks" ref={bar}>
        {labelledTicks(shown, begin, width, tickLabel).map(({ tick, left, label }) => (
          <span key={tick} class="axis-tick number" style={{ left: percent(left) }}>
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}

function tickLabel(tick: number): string {
  return tick === 0 ? '0' : formatDuration(tick);
}

/** Width of an element in pixels, as it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

interface VisitRowProps {
  readonly visit: VisitRecord | undefined;
  readonly shown: TimeWindow;
  readonly now: number;
}

function VisitRow({ visit, shown, now }: VisitRowProps) {
  if (visit === undefined) return null;
  const { name, nodeId, branch, status, startedAt, endedAt, attempts } = visit;
  const { word, colour } = visitWords[status];
  const duration = formatDuration((endedAt ?? now) - startedAt);
  const tries = attempts.length > 1 ? `, ${attempts.length} attempts` : '';
  const place = placeIn(shown, startedAt, endedAt ?? now);
  return (
    <>
      <span class="timeline-name" data-branch={branch === undefined ? undefined : ''}>
        <span class="timeline-label">{name === '' ? nodeId : name}</span>
        {visit.visit > 1 && <span class="muted small"> {visit.visit}</span>}
        <span class="visually-hidden">
          {branch === undefined ? '' : `, in branch ${branch}`}, {word}, {duration}
          {tries}
        </span>
      </span>
      <span class="timeline-bars" aria-hidden="true">
        {place !== undefined && <span class="bar bar-visit" data-state={colour} style={style(place)} />}
        {attempts.map((attempt) => {
          const bar = placeIn(shown, attempt.startedAt, attempt.endedAt ?? endedAt ?? now);
          const state = attempt.status === 'running' ? colour : visitWords[attempt.status].colour;
          return (
            bar !== undefined && (
              <span
                key={`${attempt.attempt} ${attempt.startedAt}`}
                class="bar"
                data-state={state}
                title={`${nodeId}, attempt ${attempt.attempt}: ${visitWords[attempt.status === 'running' ? status : attempt.status].word}, ${duration}${tries}`}
                style={style(bar)}
              />
            )
          );
        })}
        {place !== undefined && <BarTime place={place} text={duration} />}
      </span>
    </>
  );
}

/** Duration of a visit: after the bar, before it, or in it, where there is room. */
function BarTime({ place: { left, width }, text }: { readonly place: Place; readonly text: string }) {
  const end = left + width;
  if (end < 0.85)
    return (
      <span class="bar-time number" style={{ left: percent(end) }}>
        {text}
      </span>
    );
  const isBefore = left > 0.15;
  return (
    <span
      class={isBefore ? 'bar-time number' : 'bar-time bar-time-inside number'}
      style={{ right: isBefore ? percent(1 - left) : '0' }}
    >
      {text}
    </span>
  );
}

type Place = NonNullable<ReturnType<typeof placeIn>>;

/** Style that keeps a bar at the edge visible. */
function style({ left, width }: Place) {
  return { left: `min(${percent(left)}, calc(100% - 3px))`, width: percent(width) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
