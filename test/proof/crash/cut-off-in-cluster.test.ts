import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { branchOf, working } from '../../integration/workspaces/git/git-run.js';
import { repositoryWith } from '../../integration/workspaces/git/repository.js';
import { registryOf } from '../../run/harness.js';
import { differenceOf, recordScenario, replayScenario, setupOf } from '../../run/recording/play.js';
import { scriptedBackend } from '../../run/recording/scenarios.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { expectSameRun, notedHandlers, start, type Whole, wholeOf } from './harness.js';
import {
  carryOn,
  cutAfterEachStep,
  expectSameJournals,
  type HostedRun,
  host,
  pulled,
  type WorkerPorts,
} from './hosted-runs.js';
import { type CrashPipeline, crashPipelines, plainPipelines } from './pipelines.js';
import { journalsIn, settledOnDisk } from './places.js';
import { tell } from './tell.js';

const patienceMs = 300_000;

/** A question that nobody answers is put to people as long as the workers live, in a time that is not virtual. */
const recordedPipelines = crashPipelines.flatMap(({ name, recording }) =>
  recording === undefined || (recording.people === undefined && recording.dot.includes('hexagon'))
    ? []
    : [{ name, recording }],
);

// Rows with other columns: a budget cannot be raised in a cluster; processes are killed by test/cluster-live.

describe.each(plainPipelines)('cut off anywhere, in a cluster: $name', (pipeline) => {
  test('after each recorded step, another worker comes to the end of a run on one machine', {
    timeout: patienceMs,
  }, async (context) => {
    const home = temporaryDirectory();
    const whole = wholeOf(await start(pipeline, path.join(home, 'local'), faultyFileSystem()));
    const hosted = await host(
      pipeline.dot,
      {
        answers: typed(pipeline.answers),
        workingDirectory: whole.home,
        handlers: registryOf({ work: () => Promise.reject(new Error('no worker has begun')) }),
      },
      path.join(home, 'cluster'),
    );
    await expectSameEnd(pipeline, hosted, whole, 'uncut');
    const cuts = await cutAfterEachStep(hosted, (left, name) => expectSameEnd(pipeline, left, whole, name));
    expect(cuts).toBeGreaterThan(2);
    tell(context, { cuts });
  });
});

describe.each(crashPipelines.filter(({ git }) => git !== undefined))(
  'cut off anywhere, in a cluster, with git: $name',
  ({ dot, inputs, git }) => {
    test('after each recorded step, another worker comes to the same files, and the checkout stays as it is', {
      timeout: patienceMs,
    }, async (context) => {
      if (git === undefined) throw new Error('git keeps no files of it');
      const repository = repositoryWith(git.before);
      const checkout = repository.look();
      const handlers = registryOf(working(git.stages));
      const options = { git: true, inputs, handlers, workingDirectory: repository.directory };
      const hosted = await host(dot, options, path.join(temporaryDirectory(), 'cluster'));
      const expectSameFiles = async (run: HostedRun, name: string): Promise<void> => {
        const { pulled } = await carryOn(run, { handlers });
        expect.soft(pulled.result.status, name).toBe('success');
        expect.soft(repository.filesAt(branchOf(pulled.result)), name).toEqual(git.after);
      };
      await expectSameFiles(hosted, 'uncut');
      const cuts = await cutAfterEachStep(hosted, expectSameFiles);
      expect(repository.look()).toBe(checkout);
      expect(cuts).toBeGreaterThan(5);
      tell(context, { cuts });
    });
  },
);

describe.each(recordedPipelines)('cut off anywhere, in a cluster, recorded: $name', ({ recording }) => {
  test('after each recorded step, what came of it on another worker is played back to the same journals', {
    timeout: patienceMs,
  }, async (context) => {
    const whole = await recordScenario(recording);
    const home = temporaryDirectory();
    const { handlers, inputs } = recording;
    const { workingDirectory, sourcePath } = setupOf(recording, home);
    const ports = (): WorkerPorts => ({
      backend: scriptedBackend(recording),
      handlers: registryOf(handlers ?? {}),
    });
    const hosted = await host(
      recording.dot,
      { workingDirectory, sourcePath, inputs, ...ports(), answers: typed(recording.people), record: true },
      path.join(home, 'cluster'),
    );
    const expectSameReplay = async (run: HostedRun, name: string): Promise<void> => {
      const end = await carryOn(run, ports());
      for (const [place, { directory }] of Object.entries(end)) {
        const replayed = await replayScenario(recording, directory);
        for (const journal of journalsIn(whole.directory)) {
          const inside = path.dirname(journal);
          const found = differenceOf(directory, replayed.directory, inside)?.diff;
          expect.soft(found, `${name}, ${place}: ${journal}`).toBeUndefined();
          if (recording.hasRace) continue;
          const alone = differenceOf(whole.directory, replayed.directory, inside)?.diff;
          expect.soft(alone, `${name}, ${place}: ${journal} of one machine`).toBeUndefined();
        }
      }
    };
    await expectSameReplay(hosted, 'uncut');
    const cuts = await cutAfterEachStep(hosted, expectSameReplay);
    expect(cuts).toBeGreaterThan(0);
    tell(context, { cuts });
  });
});

/** Carries a run on, and checks that it ends as on one machine, on its worker and as it is recorded. */
async function expectSameEnd(
  pipeline: CrashPipeline,
  run: HostedRun,
  whole: Whole,
  name: string,
): Promise<void> {
  const settled = settledOnDisk(path.dirname(await pulled(run)));
  const noted = notedHandlers(pipeline, run.directory, { order: whole.order, settled });
  const end = await carryOn(run, { handlers: registryOf(noted.handlers) });
  for (const [place, directory] of Object.entries(end)) {
    const { home } = run;
    const recorded = { run: directory, home, executed: noted.executed.toSorted(), order: noted.order };
    expectSameRun(recorded, whole, settled, `${name}, ${place}`);
  }
  expectSameJournals(whole.run, run, end, name);
}

function typed(answers: CrashPipeline['answers'] = {}): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(answers).map(([id, given]) => [id, [given].flat()]));
}
