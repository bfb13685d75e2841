/** Visible part of a span of time: all of it, or less when zoomed in. Milliseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The shortest part that can be shown. */
const shortest = 5;

/** Position of a span in a window, in fractions of its width; undefined if it is outside. */
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

export interface LabelledTick {
  /** Milliseconds since the beginning. */
  readonly tick: number;
  /** From 0 to 1. */
  readonly left: number;
  readonly label: string;
}

/** Width of a label's character, and margin next to the label, in pixels; rather too large than too small. */
const characterWidth = 7.5;
const labelMargin = 12;

/** Ticks of an axis, as many as have room side by side with their labels; none whose label would be cut off at the end. @param width in pixels */
export function labelledTicks(
  window: TimeWindow,
  begin: number,
  width: number,
  labelOf: (tick: number) => string,
): readonly LabelledTick[] {
  const length = Math.max(1, window.to - window.from);
  const room = (label: string): number => label.length * characterWidth + labelMargin;
  for (let most = 6; ; most -= 1) {
    const ticks = ticksOf(window, begin, most);
    const [first = 0, second = first] = ticks;
    const distance = ticks.length < 2 ? width : ((second - first) / length) * width;
    if (most > 1 && ticks.some((tick) => room(labelOf(tick)) > distance)) continue;
    return ticks
      .map((tick) => ({ tick, left: (begin + tick - window.from) / length, label: labelOf(tick) }))
      .filter(({ left, label }) => room(label) <= Math.min(distance, (1 - left) * width));
  }
}

/** Round times after the beginning of a run that a window shows, at most so many; as milliseconds since the beginning. */
export function ticksOf({ from, to }: TimeWindow, begin: number, most: number): readonly number[] {
  const length = Math.max(1, to - from);
  const least = length / Math.max(1, most);
  const step = steps.find((candidate) => candidate >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const first = Math.ceil((from - begin) / step);
  const last = Math.floor((to - begin) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}
