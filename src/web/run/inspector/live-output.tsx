import { useLayoutEffect, useRef } from 'preact/hooks';
import { type StageActivity, stageActivity, visitUnderWay } from '../../../view/stage-activity.js';
import type { LiveRun } from '../model/live-run.js';

/** Output of a running stage's model (§9.6, `StageOutput`), scrolled to its end. */
export function LiveOutput({ live, nodeId }: { readonly live: LiveRun; readonly nodeId: string }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const { view } = live.now();
  const visit = visitUnderWay(view, nodeId);
  const stream = visit?.stream;
  const activity = visit && stageActivity(visit);
  // What it says is shown in full.
  const doing = activity?.kind === 'saying' ? undefined : activity;
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  if (stream === undefined || stream.length === 0)
    return doing === undefined ? null : <StageDoing activity={doing} />;
  return (
    <section aria-label="What the model says now">
      <h3>
        <span class="live-dot" aria-hidden="true" /> Right now
      </h3>
      {doing !== undefined && <StageDoing activity={doing} />}
      <div
        class="text live-output"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
        ref={box}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
        }}
      >
        {stream.isCut && <p class="muted">… the beginning will be in the response of the stage</p>}
        {stream.parts.map(({ channel, text }, index) => (
          <span key={index} class={channel === 'reasoning' ? 'muted reasoning' : undefined}>
            {text}
          </span>
        ))}
      </div>
    </section>
  );
}

/** What a stage does while its model says nothing: nobody waits in silence. */
export function StageDoing({ activity: { kind, text } }: { readonly activity: StageActivity }) {
  return (
    <p
      class="notice"
      data-state={kind === 'waiting' ? 'waiting' : 'running'}
      // Tools are called too often to be read out.
      role={kind === 'waiting' ? 'status' : undefined}
    >
      {kind === 'calling' ? <code>{text}</code> : `${text[0]?.toUpperCase()}${text.slice(1)}`}
    </p>
  );
}
