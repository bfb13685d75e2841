import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Milliseconds since 1970, renewed each second while it is used. */
const now = signal(Date.now());
let lookers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The present, for a component that shows how long something takes: it is rendered again each second. */
export function useNow(): number {
  useEffect(() => {
    lookers += 1;
    now.value = Date.now();
    timer ??= setInterval(() => {
      if (document.visibilityState === 'visible') now.value = Date.now();
    }, 1000);
    return () => {
      lookers -= 1;
      if (lookers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now.value;
}
