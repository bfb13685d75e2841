import type { ConversationCompaction, RequestRetry } from './progress.js';

/** Words for what a stage does after a failed request: `waiting 20 s after HTTP 429`. */
export function describeRetry({ delay, reason, next_model }: Retry): string {
  return next_model === undefined
    ? `waiting ${describeWait(delay)} after ${reason}`
    : `asking ${next_model} after ${reason}`;
}

/** Words for what a stage does whose conversation is too long: `summarizing 12 older turns`. */
export function describeCompaction({ turns }: Pick<ConversationCompaction, 'turns'>): string {
  return `summarizing ${turns} older ${turns === 1 ? 'turn' : 'turns'}`;
}

type Retry = Pick<RequestRetry, 'delay' | 'reason' | 'next_model'>;

/** A wait for people: `0.4 s`, `20 s`, `1 min 30 s`, `10 min`, `1 h 5 min`. */
export function describeWait(milliseconds: number): string {
  if (milliseconds < 9950) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined([minutes, 'min'], [seconds % 60, 's']);
  return joined([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
}

function joined(...parts: readonly (readonly [count: number, unit: string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
