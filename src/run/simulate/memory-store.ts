import type { RunEvent } from '../../machine/event.js';
import type { RunStore } from '../../run-directory/run-store.js';
import { sha256 } from '../../run-directory/sha256.js';

/**
 * Store of a run that is not stored: in a simulation, whose observer receives the events. Of the files, it keeps the answers,
 * which later stages may read.
 */
export function memoryStore(): RunStore {
  let events = 0;
  /** Answers by their hashes. */
  const answers = new Map<string, string>();
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
      write(_stage, name, text) {
        if (name === 'response.md' && typeof text === 'string') answers.set(sha256(text), text);
      },
      open() {
        throw new Error('a run in memory has no files');
      },
      append: () => undefined,
      setAside: () => undefined,
      read: () => undefined,
      readBytes: () => undefined,
      readReferenced: ({ sha256: hash }) => answers.get(hash),
      sync: () => undefined,
      archiveVisit: () => false,
      archiveAttempt: () => undefined,
    },
    statuses: {
      write: () => undefined,
      readForeign: () => undefined,
      clear: () => undefined,
      forget: () => undefined,
    },
    // Nobody reads it, so none is ever worth its cost.
    writeCheckpoint: () => Number.POSITIVE_INFINITY,
    writeResult: () => undefined,
    recordActiveDirectory: () => undefined,
    close: () => undefined,
  };
}
