import type { Io } from './io.js';

/** What is known of an error that nobody caught. */
export interface UncaughtDetails {
  /** The modules of the plugins that are loaded. */
  readonly plugins?: readonly string[];
  /** What became of the run, and what to do. */
  readonly advice?: string;
  readonly exitStatus: number;
}

/**
 * Something was thrown where nobody catches it: by a timer, an event or a promise that nobody waits for. A command that is
 * ended by it throws this instead.
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

/** A command waits for what can never come: nothing is left in the process that could end it. */
export class StalledError extends Error {
  constructor() {
    super('the command waits for a promise that nothing is left to settle, most likely one of a plugin');
    this.name = 'StalledError';
  }
}

const finalStatuses = new WeakMap<Io, number>();

/** What a command was to do is done: what is thrown while it tidies up is told, and changes nothing about its exit status. */
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
