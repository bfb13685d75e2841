import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readJournal } from '../../../src/journal/journal.js';
import { nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { cutBudgetedRun } from './budgeted-runs.js';
import { type FoldedCheckpoint, foldedCheckpoint, watchCheckpoints } from './folded-checkpoints.js';
import { cutGitRun } from './git-runs.js';
import { expectSameRun, goOn, start, type Whole, wholeOf } from './harness.js';
import { isThorough } from './long-form.js';
import { type CrashPipeline, crashPipelines, plainPipelines } from './pipelines.js';
import { journalsIn, settledOnDisk } from './places.js';
import {
  type Cut,
  lineEnds,
  type Moment,
  type MomentRecorder,
  makeCut,
  momentRecorder,
  otherFiles,
} from './recorded-moments.js';
import { cutRecordedRun } from './recorded-runs.js';
import { tell } from './tell.js';

/** How many bytes lie between two places within lines, where a run is cut off and where a journal is read. */
const cutStride = Number(process.env.ATTRACTOR_CUT_STRIDE ?? 997);
const readStride = isThorough ? 1 : 31;

/** How many lines lie between two places where a recorded run is cut off: each means two more runs. */
const recordedStride = isThorough ? 1 : 13;

/** The same where git keeps the files: each means a hundred processes of git. */
const gitStride = isThorough ? 1 : 5;

/** Some hundred runs; in the long form, up to some hundred thousand. */
const patienceMs = isThorough ? 12 * 3_600_000 : 300_000;

describe.each(plainPipelines)('cut off anywhere: $name', (pipeline) => {
  let home: string;
  let recorder: MomentRecorder;
  let whole: Whole;

  beforeEach(async () => {
    home = temporaryDirectory();
    const runHome = path.join(home, 'whole');
    recorder = momentRecorder(path.join(runHome, 'run'), path.join(home, 'moments'));
    whole = wholeOf(await start(pipeline, runHome, recorder));
  });

  test('the run that nothing happens to is as expected', () => {
    const { path: nodes, status } = whole.run.result;
    expect(nodes.filter((id) => id !== 'start' && id !== 'exit').join(' ')).toBe(pipeline.path);
    expect(status).toBe('success');
    expect(new Set(whole.executed).size).toBe(whole.executed.length);
  });

  test('after every line of the journal, it comes to the same end', {
    timeout: patienceMs,
  }, async (context) => {
    const tried = filesTriedWith(pipeline);
    let [runs, lines] = [0, 0];
    for (const moment of recorder.moments) {
      for (const size of lineEnds(moment)) {
        // Other files of the run are as they were, or as they became, in turn.
        const inTurn = tried.slice(lines % tried.length, (lines % tried.length) + 1);
        lines += 1;
        for (const others of isThorough ? tried : inTurn) {
          if (await expectSameEnd(pipeline, { moment, size, others }, whole, home)) runs += 1;
        }
      }
    }
    tell(context, { runs });
  });

  test('within a line, it comes to the same end', { timeout: patienceMs }, async (context) => {
    let runs = 0;
    for (const [moment, size] of placesInLines(recorder.moments)) {
      const others = otherFiles[runs % 2] ?? 'as they were';
      if (await expectSameEnd(pipeline, { moment, size, others }, whole, home)) runs += 1;
    }
    tell(context, { runs });
  });

  test('within a line, the journal is what it was after the line before', {
    timeout: patienceMs,
  }, (context) => {
    let places = 0;
    for (const name of journalsIn(whole.run.directory)) {
      const bytes = readFileSync(path.join(whole.run.directory, name));
      const { events } = readJournal(name, { ...nodeFileSystem, readFile: () => bytes });
      for (let size = 1, line = 0, end = 0; size <= bytes.length; size += 1) {
        if (bytes[size - 1] === 0x0a) [line, end] = [line + 1, size];
        if (size % readStride !== 0) continue;
        const read = readJournal(name, { ...nodeFileSystem, readFile: () => bytes.subarray(0, size) });
        const { length } = read.events;
        places += 1;
        if (length === line && read.end.size === end && read.end.torn === size - end) continue;
        expect
          .soft({ ...read, events: length }, `${name} up to byte ${size} of ${events.length} events`)
          .toBe('');
      }
    }
    tell(context, { places });
  });

  test('each checkpoint is the fold of the journal', async (context) => {
    const checkpoints: FoldedCheckpoint[] = [];
    const watched = watchCheckpoints(faultyFileSystem(), (checkpoint) => checkpoints.push(checkpoint));
    const again = path.join(home, 'again');
    await start(pipeline, again, watched, { order: whole.order });
    expect(checkpoints.length).toBeGreaterThan(2);
    for (const { written, folded } of checkpoints) expect.soft(folded).toEqual(written);
    tell(context, { checkpoints: checkpoints.length });
  });
});

describe.each(crashPipelines.filter(({ recording }) => recording !== undefined))(
  'cut off anywhere, recorded: $name',
  ({ recording }) => {
    test('it is played back to the journal of a run that nothing happened to', {
      timeout: patienceMs,
    }, async (context) => {
      if (recording === undefined) throw new Error('it is not recorded');
      const runs = await cutRecordedRun(recording, temporaryDirectory(), recordedStride);
      expect(runs).toBeGreaterThan(0);
      tell(context, { runs });
    });
  },
);

describe.each(crashPipelines.filter(({ git }) => git !== undefined))(
  'cut off anywhere, with git: $name',
  (row) => {
    test('after many a line, it comes to the same files, and the checkout stays as it is', {
      timeout: 2 * patienceMs,
    }, async (context) => {
      if (row.git === undefined) throw new Error('git keeps no files of it');
      const cuts = await cutGitRun(row, row.git, gitStride);
      expect(cuts).toBeGreaterThan(isThorough ? 20 : 5);
      tell(context, { cuts });
    });
  },
);

describe.each(crashPipelines.filter(({ budget }) => budget !== undefined))(
  'cut off anywhere, with a budget: $name',
  (row) => {
    test('after every line, it spends no more than it may, counts all once, and comes to the same end', {
      timeout: patienceMs,
    }, async (context) => {
      if (row.budget === undefined) throw new Error('it has no budget');
      const cuts = await cutBudgetedRun(row, row.budget, temporaryDirectory());
      expect(cuts).toBeGreaterThan(60);
      tell(context, { cuts });
    });
  },
);

function filesTriedWith({ hasOwnFiles }: CrashPipeline): readonly Cut['others'][] {
  return otherFiles.filter((others) => hasOwnFiles !== true || others !== 'as they were at the end');
}

/** Bytes within the lines, here and there; with a stride of 1, all of them. */
function* placesInLines(moments: readonly Moment[]): Iterable<readonly [Moment, number]> {
  let count = 0;
  for (const moment of moments) {
    const ends = new Set(lineEnds(moment));
    for (let size = moment.from; size < moment.to; size += 1) {
      if (ends.has(size)) continue;
      count += 1;
      if (count % cutStride === 0) yield [moment, size];
    }
  }
}

/** @returns false where there can be no such cut */
async function expectSameEnd(
  pipeline: CrashPipeline,
  cut: Cut,
  whole: Whole,
  home: string,
): Promise<boolean> {
  const name = nameOf(cut);
  const image = path.join(home, 'cut');
  const directory = path.join(image, 'run');
  try {
    if (!makeCut(cut, whole.run.directory, directory)) return false;
    const settled = settledOnDisk(image);
    const resumed = await goOn(pipeline, image, faultyFileSystem(), { order: whole.order, settled });
    // Files that a later visit has left are those of an earlier one then.
    expectSameRun(resumed, whole, settled, name, { files: cut.others !== 'as they were at the end' });
    const { written, folded } = foldedCheckpoint(directory);
    expect.soft(folded, `${name}: the checkpoint`).toEqual(written);
    return true;
  } finally {
    rmSync(image, { recursive: true, force: true });
  }
}

function nameOf({ moment, size, others }: Cut): string {
  const text = readFileSync(path.join(moment.directory, moment.journal)).subarray(0, size).toString('utf8');
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const { seq, type } = JSON.parse(lines.at(-1) ?? '{"seq":0,"type":"nothing"}');
  const rest = torn === '' ? '' : ` and ${torn.length} characters more`;
  return `${moment.journal} cut after line ${seq}, ${type}${rest}, other files ${others}`;
}
