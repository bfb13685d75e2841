const pauseMs = 1000;
/** Milliseconds after which a question that waits is reported. */
const noticeMs = 5000;

/**
 * Asks the database until it answers, as DBOS does for its own questions: a run waits while the database is away.
 * @throws what the database says of the question
 */
export async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  let release: (() => void) | undefined;
  const begun = performance.now();
  try {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isOutage(error)) throw error;
        release ??= outage.enter();
        if (performance.now() - begun >= noticeMs) outage.notice(error);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  } finally {
    release?.();
  }
}

/** Calls the listener once for each time for which questions of this process wait longer than some seconds. @returns stops it */
export function onLongWait(listener: (problem: unknown) => void): () => void {
  outage.listeners.add(listener);
  return () => outage.listeners.delete(listener);
}

/** Time for which at least one question of this process waits. */
const outage = {
  listeners: new Set<(problem: unknown) => void>(),
  waiting: 0,
  isNoticed: false,
  enter(): () => void {
    this.waiting += 1;
    return () => {
      this.waiting -= 1;
      if (this.waiting === 0) this.isNoticed = false;
    };
  },
  notice(problem: unknown): void {
    if (this.isNoticed) return;
    this.isNoticed = true;
    for (const listener of this.listeners) listener(problem);
  },
};

/**
 * SQLSTATE of what passes: connection, resources, a server that stops or starts, one that has become a standby, idle for too long, and
 * what came in the way of another. A statement that somebody has cancelled (57014), or that took too long, would only be cancelled again.
 */
const outages = /^(?:08|53|57P0[1235]|25006|25P03|40001|40003|40P01|55P03)/;

/** Codes of Node for what happens to a connection. */
const lost = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  // Without a server, there is no socket of it.
  'ENOENT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** True for a problem of the way to the database, or of the database as a whole, which passes. */
function isOutage(error: unknown): boolean {
  const { code = '', severity, message } = error as NodeJS.ErrnoException & { readonly severity?: string };
  if (severity !== undefined) return outages.test(code);
  return code === '' ? /terminated|timeout|connection error/i.test(message) : lost.has(code);
}
