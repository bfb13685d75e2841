// A signal may live as long as the process, so every listener is removed once it no longer waits.

/**
 * Runs an action once the signal is aborted; at once if it already is.
 * @returns a function that removes the listener
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
 * Aborts the controller with any of the signals, for the same reason. Unlike `AbortSignal.any`, a signal
 * that lives longer does not keep a reference.
 * @returns a function that removes the listeners
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

/**
 * Result of some work, or undefined as soon as the signal is aborted; a later failure of the work is
 * swallowed.
 */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => resolve(undefined));
    work.then(resolve, reject).finally(release);
  });
}

/**
 * Like `untilAborted`, but rejects when aborted.
 * @throws the reason of the signal
 */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(release);
  });
}

/**
 * Removes the limit on listeners of a signal: Node warns of a leak above ten, other platforms do not count.
 * Looks the module up at run time, so that this file loads without Node.
 */
export function allowManyListeners(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal);
}
