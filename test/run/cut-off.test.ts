import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { expectSameRun, goOn, start, wholeOf } from '../proof/crash/harness.js';
import { plainPipelines } from '../proof/crash/pipelines.js';
import { settledOnDisk } from '../proof/crash/places.js';
import { lineEnds, makeCut, momentRecorder } from '../proof/crash/recorded-moments.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

// A taste of test/proof/crash, where every pipeline of the table is cut off everywhere.

const names = [
  'retries with back-off, one of which runs out',
  'restarts that leave a stage behind',
  'a pipeline inside of a pipeline, of one stage',
];

test.each(plainPipelines.filter(({ name }) => names.includes(name)))(
  '11.12, 66: cut off after any line of its journals, it comes to the same end: $name',
  async (pipeline) => {
    const home = temporaryDirectory();
    const runHome = path.join(home, 'whole');
    const recorder = momentRecorder(path.join(runHome, 'run'), path.join(home, 'moments'));
    const whole = wholeOf(await start(pipeline, runHome, recorder));
    expect(recorder.moments.length).toBeGreaterThan(5);
    for (const moment of recorder.moments) {
      for (const size of lineEnds(moment)) {
        const image = path.join(home, 'cut');
        makeCut({ moment, size, others: 'as they were' }, whole.run.directory, path.join(image, 'run'));
        const settled = settledOnDisk(image);
        const resumed = await goOn(pipeline, image, faultyFileSystem(), { order: whole.order, settled });
        expectSameRun(resumed, whole, settled, `${moment.journal} cut at ${size}`);
        rmSync(image, { recursive: true });
      }
    }
  },
);

test('the pipelines of the taste are in the table', () => {
  expect(plainPipelines.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});
