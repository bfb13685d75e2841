/** Context key that holds the full size in bytes of another key's truncated value. */
export function cutMark(key: string): string {
  return `internal.cut.${key}`;
}
