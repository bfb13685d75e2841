/** `1 stage`, `2 stages`; the plural is given where it is another word. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
