import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Distance in pixels from the end at which a reader counts as being there. */
const nearEnd = 32;

interface ThreadScroll {
  /** Remembers where the reader is, before steps are added or removed above. */
  keepPlace(): void;
  /** Scrolls to the beginning of the thread with the next change. */
  goToTop(): void;
}

/**
 * Keeps the reader of a thread in place while it grows: at its end if they are there, otherwise at the step that they look at.
 * @param thread list of steps, each with `data-step`, in the inspector, which scrolls
 * @param followsEnd whether the end stays in sight
 * @param onAtEnd called when the reader leaves the end, or comes to it
 */
export function useThreadScroll(
  thread: RefObject<HTMLElement | null>,
  followsEnd: boolean,
  onAtEnd: (isAtEnd: boolean) => void,
): ThreadScroll {
  const place = useRef<{ readonly step: string; readonly top: number } | 'top' | undefined>(undefined);
  const seenTop = useRef(0);
  const listener = useRef(onAtEnd);
  listener.current = onAtEnd;
  useLayoutEffect(() => {
    const box = scrollBox(thread.current);
    if (box === null) return;
    const kept = place.current;
    place.current = undefined;
    if (kept === 'top') thread.current?.scrollIntoView({ block: 'start' });
    else if (kept !== undefined) {
      const step = thread.current?.querySelector(`[data-step="${kept.step}"]`);
      if (step) box.scrollTop += step.getBoundingClientRect().top - kept.top;
    } else if (followsEnd) box.scrollTop = box.scrollHeight;
    seenTop.current = box.scrollTop;
  });
  useEffect(() => {
    const box = scrollBox(thread.current);
    if (box === null) return undefined;
    const onScroll = (): void => {
      const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - nearEnd;
      const isBack = box.scrollTop < seenTop.current;
      seenTop.current = box.scrollTop;
      // A box that has become higher is not at its end any more either, although it was not scrolled.
      if (isAtEnd || isBack) listener.current(isAtEnd);
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => box.removeEventListener('scroll', onScroll);
  }, []);
  return {
    keepPlace() {
      const steps = thread.current?.querySelectorAll<HTMLElement>('[data-step]') ?? [];
      const top = scrollBox(thread.current)?.getBoundingClientRect().top ?? 0;
      const first = [...steps].find((step) => step.getBoundingClientRect().bottom > top);
      if (first?.dataset.step === undefined) return;
      place.current = { step: first.dataset.step, top: first.getBoundingClientRect().top };
    },
    goToTop() {
      place.current = 'top';
    },
  };
}

function scrollBox(thread: HTMLElement | null): Element | null {
  return thread?.closest('.inspector') ?? null;
}
