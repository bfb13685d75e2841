import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { nextIndex } from '../ui/next-index.js';
import { rowsInView } from './model/rows-in-view.js';

interface WindowedListProps {
  /** Name of the list, for screen readers. */
  readonly label: string;
  readonly count: number;
  /** Height of every row, in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** Called by Enter and a click. */
  readonly onOpen: (index: number) => void;
  /** Keeps the last row in sight as more come. */
  readonly followsEnd?: boolean;
  /** Called when the list is scrolled away from its end, or back to it. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
  readonly class?: string;
}

const pageOfRows = 10;

/** A list of any length, of which only those rows are elements that are in sight; one stop for the Tab key. */
export function WindowedList({
  label,
  count,
  rowHeight,
  row,
  onOpen,
  followsEnd = false,
  onAtEnd,
  class: name = '',
}: WindowedListProps) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(-1);
  const seenTop = useRef(0);
  const follows = useRef(followsEnd);
  follows.current = followsEnd;
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      setSight({ top: element.scrollTop, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && followsEnd) element.scrollTop = count * rowHeight;
  }, [count, rowHeight, followsEnd]);

  const onScroll = (): void => {
    const element = list.current;
    if (element === null) return;
    setSight({ top: element.scrollTop, height: element.clientHeight });
    const isBack = element.scrollTop < seenTop.current;
    seenTop.current = element.scrollTop;
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
    // A list that has become lower is not at its end any more either, although it was not scrolled.
    if (isAtEnd || isBack) onAtEnd?.(isAtEnd);
  };
  /**
   * Scrolls at once: the browser reports it with the next frame, and a list that still follows its end
   * would scroll back.
   */
  const goTo = (index: number): void => {
    setActive(index);
    seenTop.current = list.current?.scrollTop ?? 0;
    reveal(list.current, index * rowHeight, rowHeight);
    onScroll();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && active >= 0 && active < count) onOpen(active);
    else {
      const next = pageStep(event.key, active, count) ?? nextIndex(event.key, active, count, { axis: 'y' });
      if (next === undefined) return;
      goTo(next);
    }
    event.preventDefault();
  };
  const { first, end } = rowsInView(count, { ...sight, rowHeight });
  return (
    <div
      class={`windowed ${name}`}
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active >= first && active < end ? `${base}-${active}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="windowed-rows" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: end - first }, (_, offset) => first + offset).map((index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its Enter key does the same
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active row
          <div
            key={index}
            id={`${base}-${index}`}
            role="option"
            aria-selected={index === active}
            aria-setsize={count}
            aria-posinset={index + 1}
            class="windowed-row"
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={() => {
              setActive(index);
              onOpen(index);
            }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

function pageStep(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'PageDown') return Math.min(count - 1, Math.max(0, active) + pageOfRows);
  return key === 'PageUp' ? Math.max(0, active - pageOfRows) : undefined;
}

function reveal(list: HTMLElement | null, top: number, height: number): void {
  if (list === null) return;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight;
}
