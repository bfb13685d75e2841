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
    get journalSize() {
      return events;
    },
    appendEvents: append,
    appendEventsDurably: append,
    syncEvents: () => undefined,
    syncEventsSoon: () => Promise.resolve(),
    // Nobody reads it, so that none is ever worth its cost.
    writeCheckpoint: () => Number.POSITIVE_INFINITY,
    writeResult: () => undefined,
    recordActiveDirectory: () => undefined,
    stageDirectory: (nodeId) => nodeId,
    makeStageDirectory: () => undefined,
    writeStageFile: () => undefined,
    openStageFile() {
      throw new Error('a run that is kept nowhere has no files');
    },
    writeStatus: () => undefined,
    readForeignStatus: () => undefined,
    clearStatus: () => undefined,
    readStageFile: () => undefined,
    removeStageFile: () => undefined,
    archiveVisit: () => undefined,
    close: () => undefined,
  };
}
