import type { OpenQuestionJson } from '../../server/api/question.js';

/** Milliseconds until the time of a question is up; undefined where it has no end. */
export function timeLeftOf({ asked_at, timeout_seconds }: OpenQuestionJson, now: number): number | undefined {
  if (timeout_seconds === null) return undefined;
  return Math.max(0, Date.parse(asked_at) + timeout_seconds * 1000 - now);
}
