import { attemptKey } from '../../view/active-stage.js';

/**
 * Id of an attempt of a stage.
 * @param child id of the child run, for a stage of one; undefined for a stage of the run itself
 */
export function attemptId(runId: string, child: string | undefined, index: number, attempt: number): string {
  return `${runId}/${child === undefined ? '' : `${child}/`}${attemptKey(index, attempt)}`;
}

/** Name of an attempt in its run, from the id of a try of it. */
export function attemptOf(tryOfIt: string, runId: string): string {
  return tryOfIt.slice(runId.length + 1, tryOfIt.lastIndexOf('/'));
}

/** Id of a try of an attempt. @param number from 1 */
export function tryId(attempt: string, number: number): string {
  return `${attempt}/${number}`;
}

/** Ids of the tries of the same attempt before one, the latest first. */
export function triesBefore(id: string): readonly string[] {
  const end = id.lastIndexOf('/');
  const before = Number(id.slice(end + 1)) - 1;
  return Array.from({ length: before }, (_, index) => tryId(id.slice(0, end), before - index));
}
