/** Steps of a long conversation that are on the page: the last ones as more come, or a range that the reader has chosen. */
export type ShownRange =
  | { readonly kind: 'end' }
  | {
      readonly kind: 'range';
      readonly first: number;
      /** Step after the last one; `Infinity` if the range takes in what comes, as far as it can. */
      readonly end: number;
    };

export interface ResolvedRange {
  readonly first: number;
  readonly end: number;
}

/** Steps that are added at once. */
export const stepsAtOnce = 60;
/** Maximum of steps on the page: more elements make a browser slow. */
export const mostSteps = 240;

/** The range in numbers. @param total number of steps */
export function resolveRange(range: ShownRange, total: number): ResolvedRange {
  if (range.kind === 'end') return { first: Math.max(0, total - stepsAtOnce), end: total };
  const first = Math.max(0, Math.min(range.first, total - 1));
  return { first, end: Math.min(total, range.end, first + mostSteps) };
}

/** The range that stays where it is while more steps come. */
export function heldRange(range: ShownRange, total: number): ShownRange {
  if (range.kind === 'range') return range;
  return { kind: 'range', first: resolveRange(range, total).first, end: Number.POSITIVE_INFINITY };
}

/** The range with earlier steps; later ones leave if there are too many. */
export function withEarlier(range: ShownRange, total: number): ShownRange {
  const { first, end } = resolveRange(range, total);
  const start = Math.max(0, first - stepsAtOnce);
  return { kind: 'range', first: start, end: Math.min(end, start + mostSteps) };
}

/** The range with later steps; earlier ones leave if there are too many. */
export function withLater(range: ShownRange, total: number): ShownRange {
  const { first, end } = resolveRange(range, total);
  const last = Math.min(total, end + stepsAtOnce);
  return {
    kind: 'range',
    first: Math.max(first, last - mostSteps),
    end: last === total ? Number.POSITIVE_INFINITY : last,
  };
}

/** A range that begins with a step. */
export function rangeFrom(step: number): ShownRange {
  return { kind: 'range', first: step, end: step + stepsAtOnce };
}
