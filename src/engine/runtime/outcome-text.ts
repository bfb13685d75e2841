import type { Outcome } from '../machine/outcome.js';
import { jsonOfText } from './json-of-text.js';

/**
 * An outcome as `JSON.stringify` writes it. Most are a status, or a status and notes, as stages that do nothing have them,
 * and are put together here in half the time.
 */
export function outcomeText(outcome: Outcome): string {
  let fields = 0;
  for (const key in outcome) {
    if (key !== (fields === 0 ? 'status' : 'notes') || fields > 1) return JSON.stringify(outcome);
    fields += 1;
  }
  const { status, notes } = outcome;
  if (fields === 2 && typeof notes !== 'string') return JSON.stringify(outcome);
  if (fields === 1 || notes === undefined) return `{"status":"${status}"}`;
  return `{"status":"${status}","notes":${jsonOfText(notes)}}`;
}
