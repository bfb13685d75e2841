/** Count with its noun: `1 stage`, `2 stages`; pass the plural if it is irregular. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
