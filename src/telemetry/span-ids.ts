import { createHash } from 'node:crypto';

/**
 * Trace id of a run: the same in every process that executes it, so that a resumed run is one trace, and
 * anybody can find it by the id of the run.
 */
export function traceIdOf(runId: string): string {
  return digest(`attractor trace ${runId}`, 32);
}

/**
 * Id of the span that an event begins.
 * @param part distinguishes the spans of one event
 */
export function spanIdOf(runId: string, seq: number, part: string): string {
  return digest(`attractor span ${runId} ${seq} ${part}`, 16);
}

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
