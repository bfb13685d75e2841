/** Groups of numbers that lead to each other, by Kosaraju's two walks. */
export function groupsOf(next: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const back: number[][] = next.map(() => []);
  for (const [from, targets] of next.entries()) for (const to of targets) back[to]?.push(from);
  const finished: number[] = [];
  const seen = new Set<number>();
  for (const root of next.keys()) {
    const stack: [number, number][] = seen.has(root) ? [] : [[root, 0]];
    seen.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = next[top[0]]?.[top[1]];
      top[1] += 1;
      if (target === undefined) {
        finished.push(top[0]);
        stack.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        stack.push([target, 0]);
      }
    }
  }
  const groups: number[][] = [];
  const taken = new Set<number>();
  for (const root of finished.reverse()) {
    if (taken.has(root)) continue;
    const group = [root];
    taken.add(root);
    for (const member of group) {
      for (const from of back[member] ?? []) {
        if (taken.has(from)) continue;
        taken.add(from);
        group.push(from);
      }
    }
    if (group.length > 1 || next[root]?.includes(root)) groups.push(group);
  }
  return groups;
}
