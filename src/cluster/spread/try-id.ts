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
