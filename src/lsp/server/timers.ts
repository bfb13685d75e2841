/** Time of a server; a test has its own. */
export interface Timers {
  /** Calls once the other work that waits is done. */
  soon(call: () => void): void;
  /** Calls after a pause; the result cancels it. */
  after(milliseconds: number, call: () => void): () => void;
  /** Milliseconds from some beginning. */
  now(): number;
}

export const nodeTimers: Timers = {
  soon: (call) => {
    setImmediate(call);
  },
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
  now: () => performance.now(),
};
