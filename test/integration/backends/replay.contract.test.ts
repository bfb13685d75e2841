import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { backendContract, type StagedRun, type Staging } from '../../backends/backend.contract.js';
import { ScriptedSide } from '../../backends/scripted-side.js';
import { resumePipeline, runOnDisk } from '../../run/harness.js';
import { differenceOf } from '../../run/recording/play.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { virtualClock } from '../../support/virtual-clock.js';

/**
 * What is judged is the replay: the backend works in a first run, elsewhere, and nobody may be asked when that is played
 * back. The scenes continue from one time of being asked to the next, and whoever counts them counts the first run only.
 */
function playedBack(): Staging {
  const recordings = new Map<string, string>();
  return {
    async run(dot, setup) {
      const home = temporaryDirectory();
      const elsewhere = path.join(home, 'workplace');
      mkdirSync(elsewhere);
      const recorded = await runOnDisk(dot, {
        ...setup,
        ...{ record: true, workingDirectory: elsewhere, runDirectory: path.join(home, 'run') },
      });
      // Whoever stopped the first run did so once.
      const { signal: _signal, pauseSignal: _pauseSignal, answers: _answers, ...rest } = setup;
      const clock = virtualClock();
      const run = await runOnDisk(dot, { ...rest, clock, backend: nobody, replay: recorded.directory });
      recordings.set(run.directory, recorded.directory);
      return sameAs(recorded.directory, { ...run, clock });
    },
    async resume({ directory }, setup) {
      const recorded = recordings.get(directory);
      if (recorded === undefined) throw new Error(`${directory} was not played back here`);
      await resumePipeline(recorded, setup);
      const clock = virtualClock();
      const run = await resumePipeline(directory, { ...setup, clock, backend: nobody });
      return sameAs(recorded, { ...run, clock });
    },
  };
}

const nobody = { run: () => Promise.reject(new Error('really asked')) };

/** A replay has the journal of what it plays back. */
function sameAs(recorded: string, run: StagedRun): StagedRun {
  expect(differenceOf(recorded, run.directory)?.diff).toBeUndefined();
  return run;
}

backendContract('a replay', {
  make: async (scenes) => new ScriptedSide(scenes),
  stage: playedBack(),
  without: {
    files: 'a replay changes no file of the working directory',
    steering: 'a replay does not repeat the words of people',
  },
});
