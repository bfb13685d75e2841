/** Reports each message the first time only: a run and the runs below it may have the same one. */
export function once(tell: ((message: string) => void) | undefined): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    tell?.(message);
  };
}
