// Signals may live as long as the process: whoever listens lets go when it no longer waits.

/**
 * Does something once the signal is aborted; at once where it is already.
 * @returns lets go of the signal
 */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  if (signal === undefined) return nothing;
  if (signal.aborted) {
    action();
    return nothing;
  }
  const listener = (): void => action();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function nothing(): void {}

/**
 * Aborts the controller with any of the signals, for the same reason. Unlike `AbortSignal.any`, a signal that lives longer
 * does not remember it.
 * @returns lets go of the signals
 */
export function abortWith(
  controller: AbortController,
  ...signals: readonly (AbortSignal | undefined)[]
): () => void {
  const releases = signals.map((signal) => {
    if (signal !== undefined) allowManyListeners(signal);
    return onAbort(signal, () => controller.abort(signal?.reason));
  });
  return () => {
    for (const release of releases) release();
  };
}

/** The result of some work, or undefined as soon as the signal is aborted; then nobody hears of its failure either. */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => resolve(undefined));
    work.then(resolve, reject).finally(release);
  });
}

/** The same, but aborting it is a failure. @throws the reason of the signal */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(release);
  });
}

/**
 * Lets any number listen to a signal. Node takes more than ten for a leak and warns; elsewhere nobody counts. Asked for at run
 * time, so that this loads where there is no Node.
 */
export function allowManyListeners(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal);
}
