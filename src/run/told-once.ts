/** Tells each message the first time only: a run and the runs below it may have the same to say. */
export function toldOnce(tell: ((message: string) => void) | undefined): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    tell?.(message);
  };
}
