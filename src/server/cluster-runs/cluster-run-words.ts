import path from 'node:path';
import type { RunAction, RunStatusName } from '../api/run.js';
import { localRunWords, type RunWords } from '../runs/run-details.js';
import type { KeptMirrors } from './kept-mirrors.js';

/** Facts about the runs of a cluster that their directories do not say. */
export function clusterRunWords(mirrors: KeptMirrors): RunWords {
  return {
    actionsIn,
    problemOf(directory) {
      const { carrier, history } = mirrors.of(path.basename(directory)).run;
      return carrier.kind === 'failed' ? carrier.problem : history.problem;
    },
    awaitedBy(directory) {
      const { carrier } = mirrors.of(path.basename(directory)).run;
      return carrier.kind === 'queue' ? carrier.awaits : undefined;
    },
  };
}

/** A run in the queue may have a history, and is paused where it is. */
function actionsIn(status: RunStatusName): readonly RunAction[] {
  return status === 'queued' ? ['pause', 'cancel'] : localRunWords.actionsIn(status);
}
