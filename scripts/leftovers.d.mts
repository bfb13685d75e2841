export function endWithMe(pid: number, signal: NodeJS.Signals): void;
export function hasEnded(pid: number): void;
export function removeWithMe(directory: string): void;
