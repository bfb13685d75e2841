/** Numbers of the items in the name of a branch, as in `#3`; the outermost first, as in `#1.3` for a list in a list. */
export function itemsOf(branch = ''): string {
  const numbers = [...branch.matchAll(/#(\d+)(?=\/|$)/g)].map(([, number]) => number);
  return numbers.length === 0 ? '' : `#${numbers.join('.')}`;
}
