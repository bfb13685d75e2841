import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  readonly title: string;
  /** Next to the title: buttons, a count. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Without space around what is in it, as a table or a picture wants. */
  readonly isFlush?: boolean;
  readonly class?: string;
}

/** A part of a screen with a title, by which screen readers find it. */
export function Panel({ title, aside, children, isFlush = false, class: name = '' }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div class={isFlush ? undefined : 'panel-body'}>{children}</div>
    </section>
  );
}
