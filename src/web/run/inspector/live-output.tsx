import { useLayoutEffect, useRef } from 'preact/hooks';
import { textOf } from '../../../view/fold/stage-text.js';
import type { LiveRun } from '../model/live-run.js';

/** Output of a running stage's model (§9.6, `StageOutput`), scrolled to its end. */
export function LiveOutput({ live, nodeId }: { readonly live: LiveRun; readonly nodeId: string }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const { view } = live.now();
  const stream = textOf(view.streams, nodeId);
  const doing = view.nodes.get(nodeId)?.latest.doing;
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  if (stream === undefined) return doing === undefined ? null : <Doing text={doing} />;
  return (
    <section aria-label="What the model says now">
      <h3>
        <span class="live-dot" aria-hidden="true" /> Right now
      </h3>
      {doing !== undefined && <Doing text={doing} />}
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

/** What a stage does after a failed request to its model: nobody waits in silence. */
function Doing({ text }: { readonly text: string }) {
  return (
    <p class="notice" data-state="waiting" role="status">
      {`${text[0]?.toUpperCase()}${text.slice(1)}`}
    </p>
  );
}
