import type { Io } from './io.js';

/** Details of an uncaught error. */
export interface UncaughtDetails {
  /** The modules of the plugins that are loaded. */
  readonly plugins?: readonly string[];
  /** State of the run, and advice. */
  readonly advice?: string;
  readonly exitStatus: number;
}

/**
 * Error that was thrown where nothing catches it: by a timer, an event or a promise without a handler. A
 * command that it ends throws this instead.
 */
export class UncaughtError extends Error {
  readonly thrown: unknown;
  readonly details: UncaughtDetails;

  constructor(thrown: unknown, details: UncaughtDetails) {
    super('an error was thrown outside the stages');
    this.name = 'UncaughtError';
    this.thrown = thrown;
    this.details = details;
  }
}

/** Error of a command that waits for ever: nothing is left in the process that could end it. */
export class StalledError extends Error {
  constructor() {
    super('the command waits for a promise that nothing is left to settle, most likely one of a plugin');
    this.name = 'StalledError';
  }
}

const finalStatuses = new WeakMap<Io, number>();

/**
 * Fixes the exit status of a command that is done: errors during its cleanup are reported, and do not
 * change it.
 */
export function fixStatus(io: Io, status: number): void {
  finalStatuses.set(io, status);
}

/** @returns undefined as long as the exit status of the command may still be another */
export function fixedStatus(io: Io): number | undefined {
  return finalStatuses.get(io);
}

/** @returns stops listening */
export function onUncaughtError(io: Io, listener: (thrown: unknown) => void): () => void {
  io.on('uncaughtException', listener);
  io.on('unhandledRejection', listener);
  return () => {
    io.off('uncaughtException', listener);
    io.off('unhandledRejection', listener);
  };
}
