import type { RunEvent } from '../../machine/event.js';
import type { RunStore } from '../../run-directory/run-store.js';

/** Stands in for the directory of a run that is kept nowhere: in a simulation, whose journal is what its observer is told. */
export function memoryStore(): RunStore {
  let events = 0;
  const append = (appended: readonly RunEvent[]): void => {
    events += appended.length;
  };
  return {
    directory: '',
    journal: {
      get size() {
        return events;
      },
      append,
      appendDurably: append,
      sync: () => undefined,
      syncSoon: () => Promise.resolve(),
    },
    stages: {
      exposeDirectory: (stage) => stage,
      makeDirectory: () => undefined,
      write: () => undefined,
      open() {
        throw new Error('a run that is kept nowhere has no files');
      },
      read: () => undefined,
      archiveVisit: () => false,
      archiveAttempt: () => undefined,
    },
    statuses: {
      write: () => undefined,
      readForeign: () => undefined,
      clear: () => undefined,
      forget: () => undefined,
    },
    // Nobody reads it, so that none is ever worth its cost.
    writeCheckpoint: () => Number.POSITIVE_INFINITY,
    writeResult: () => undefined,
    recordActiveDirectory: () => undefined,
    close: () => undefined,
  };
}
