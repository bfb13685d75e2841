/** The part of a span of time that is shown: all of it, or less where somebody looks closer. Milliseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The shortest part that can be shown. */
const shortest = 5;

/** Where a span lies in a window, as parts of its width; undefined where it lies outside. */
export function placeIn(
  { from, to }: TimeWindow,
  start: number,
  end: number,
): { readonly left: number; readonly width: number } | undefined {
  if (end < from || start > to) return undefined;
  const length = Math.max(1, to - from);
  const left = Math.max(0, (start - from) / length);
  const right = Math.min(1, (end - from) / length);
  return { left, width: Math.max(0, right - left) };
}

/** A window closer or further away around one of its points. @param at from 0 to 1 @param factor below 1 looks closer */
export function zoomed(window: TimeWindow, whole: TimeWindow, at: number, factor: number): TimeWindow {
  const length = window.to - window.from;
  const next = Math.min(Math.max(length * factor, shortest), Math.max(shortest, whole.to - whole.from));
  const from = window.from + (length - next) * at;
  return inside({ from, to: from + next }, whole);
}

/** A window further on, or back. @param by in widths of the window */
export function shifted(window: TimeWindow, whole: TimeWindow, by: number): TimeWindow {
  const distance = (window.to - window.from) * by;
  return inside({ from: window.from + distance, to: window.to + distance }, whole);
}

function inside({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

const seconds = [1, 2, 5, 10, 15, 30];
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...seconds.map((count) => count * 1000),
  ...seconds.map((count) => count * 60_000),
  ...[1, 2, 3, 6, 12].map((count) => count * 3_600_000),
  ...[1, 2, 7, 14, 28].map((count) => count * 86_400_000),
];

/** Round times after the beginning of a run that a window shows, at most so many; as milliseconds since the beginning. */
export function ticksOf({ from, to }: TimeWindow, begin: number, most: number): readonly number[] {
  const length = Math.max(1, to - from);
  const least = length / Math.max(1, most);
  const step = steps.find((candidate) => candidate >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const first = Math.ceil((from - begin) / step);
  const last = Math.floor((to - begin) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}
