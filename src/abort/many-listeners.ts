/**
 * Lets any number listen to a signal. Node takes more than ten for a leak and warns; elsewhere nobody counts. Asked for
 * at run time, so that the driver loads where there is no Node.
 */
export function allowManyListeners(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal);
}
