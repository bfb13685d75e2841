import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockHolder } from '../../../src/run-directory/lock.js';
import { RunError } from '../../../src/run-directory/run-error.js';
import { type Fault, type FaultyFileSystem, faultyFileSystem } from '../../support/faulty-file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { essence } from './essence.js';
import { expectSameRun, goOn, type Recorded, start, type Whole, wholeOf } from './harness.js';
import { isThorough } from './long-form.js';
import { type CrashPipeline, plainPipelines } from './pipelines.js';
import { settledOnDisk } from './places.js';
import { type MomentRecorder, makeCut, momentRecorder } from './recorded-moments.js';
import { tell } from './tell.js';

const codes = ['ENOSPC', 'EIO'] as const;

const variants = [
  { done: 'half', lasts: true },
  { done: 'nothing', lasts: false },
  { done: 'everything', lasts: false },
  { done: 'nothing', lasts: true },
  { done: 'half', lasts: false },
] as const satisfies readonly Partial<Fault>[];

/** How many calls of a run fail in turn, more or less; of a small run, and in the long form, all of them. */
const callsTried = 20;

/**
 * One variant a call, in turn, which between them the pipelines make complete; all of them take an hour. A small run meets a disk
 * that stays full at each call, besides.
 */
function faultsAt(
  { isSmall }: CrashPipeline,
  call: number,
  code: Fault['code'],
  calls: number,
): readonly Fault[] {
  const shift = codes.indexOf(code);
  const stride = isThorough || isSmall === true ? 1 : Math.ceil(calls / callsTried);
  if ((call + shift) % stride !== 0) return [];
  const turn = Math.floor((call + shift) / stride) % variants.length;
  const isFullDisk = (variant: (typeof variants)[number]): boolean =>
    code === 'ENOSPC' && variant.done === 'nothing' && variant.lasts;
  return variants
    .filter((variant, index) => isThorough || index === turn || (isSmall === true && isFullDisk(variant)))
    .map((variant) => ({ call, code, ...variant }));
}

const causes = {
  ENOSPC: 'no space is left on the device',
  EIO: 'the device reports an input/output error',
};

/** A run that ends well although one of these failed has kept everything: they tidy up, after the last sync. */
const tidyingUp = /^(?:close (?:(?:events|index)\.jsonl|lock\S*)|(?:rm|writeFile) lock\S*|rm tools\.jsonl)$/;

/** Nor does it matter that these are said to have failed where what they make is there. */
const isThereAnyway = /^(?:mkdir|link) /;

/** Only a run that hangs takes that long, however busy the machine is. */
const longestRunMs = 50_000;

/** Some thousand runs. */
const patienceMs = isThorough ? 3_600_000 : 300_000;

describe.each(plainPipelines)('a disk that fails: $name', (pipeline) => {
  let home: string;
  let whole: Whole;
  let recorder: MomentRecorder;

  beforeEach(async () => {
    home = temporaryDirectory();
    const place = path.join(home, 'whole');
    recorder = momentRecorder(path.join(place, 'run'), path.join(home, 'moments'));
    whole = wholeOf(await start(pipeline, place, recorder));
  });

  test('writes that take only a part of what they are given change nothing', async () => {
    const past = { order: whole.order };
    const place = path.join(home, 'short');
    const short = await start(pipeline, place, faultyFileSystem({ writesShort: true }), past);
    expectSameRun(short, whole, new Set(), 'short writes');
  });

  test.for(codes)('%s at every call in turn', { timeout: patienceMs }, async (code, context) => {
    let faults = 0;
    const count = recorder.calls.length;
    for (let call = 1; call <= count; call += 1) {
      for (const fault of faultsAt(pipeline, call, code, count)) {
        const place = path.join(home, directoryOf(fault));
        const fileSystem = faultyFileSystem({ fault });
        const past = { order: whole.order };
        await expectClearEnd(start(pipeline, place, fileSystem, past), fileSystem, fault, whole);
        await expectSameEnd(pipeline, place, fault, whole);
        faults += 1;
      }
    }
    tell(context, { faults });
  });

  test('and at every call of resuming it', { timeout: patienceMs }, async (context) => {
    let faults = 0;
    const moment = recorder.moments[Math.floor(recorder.moments.length / 2)];
    if (moment === undefined) throw new Error('nothing was journaled');
    const size = Math.floor((moment.from + moment.to) / 2);
    const image = (name: string): string => {
      const place = path.join(home, name);
      makeCut({ moment, size, others: 'as they were' }, whole.run.directory, path.join(place, 'run'));
      return place;
    };
    const healthy = faultyFileSystem();
    const resumed = image('resumed');
    await goOn(pipeline, resumed, healthy, { order: whole.order, settled: settledOnDisk(resumed) });
    for (let call = 1; call <= healthy.calls.length; call += 1) {
      const code = codes[call % 2] ?? 'EIO';
      for (const fault of faultsAt(pipeline, call, code, healthy.calls.length)) {
        const place = image(directoryOf(fault));
        const fileSystem = faultyFileSystem({ fault });
        const past = { order: whole.order, settled: settledOnDisk(place) };
        await expectClearEnd(goOn(pipeline, place, fileSystem, past), fileSystem, fault, whole);
        await expectSameEnd(pipeline, place, fault, whole);
        faults += 1;
      }
    }
    tell(context, { faults });
  });
});

function nameOf({ call, code, done, lasts }: Fault): string {
  return `${code} at call ${call}, ${done} done${lasts ? ', from then on' : ''}`;
}

function directoryOf(fault: Fault): string {
  return nameOf(fault).replaceAll(/\W+/g, '-');
}

/** A run on a disk that fails ends with an error that names file and cause, or it has lost nothing by it. */
async function expectClearEnd(
  running: Promise<Recorded>,
  fileSystem: FaultyFileSystem,
  fault: Fault,
  whole: Whole,
): Promise<void> {
  const end = await endOf(running);
  const [{ call } = { call: 'none' }] = fileSystem.failed;
  const name = `${nameOf(fault)}: ${call}`;
  if (end instanceof Error) {
    expect.soft(end, name).toBeInstanceOf(RunError);
    expect.soft((end as RunError).code, name).toMatch(/^(?:storage|unusable_directory)$/);
    const isNamed = fileSystem.failed.some(({ path: failedPath }) => {
      const file = failedPath.replace(/\.tmp$/, '');
      return end.message.includes(file) || end.message.includes(path.dirname(file));
    });
    expect.soft(isNamed, `${name} in "${end.message}"`).toBe(true);
    expect.soft(end.message, name).toContain(causes[fault.code]);
    expect.soft(end.message, name).not.toContain('\n');
    return;
  }
  const isHarmless = tidyingUp.test(call) || (fault.done === 'everything' && isThereAnyway.test(call));
  expect.soft(isHarmless, `${name}: the run ended well`).toBe(true);
  expect.soft(essence(end.run, { files: true }), name).toEqual(whole.essence);
}

async function endOf(running: Promise<Recorded>): Promise<Recorded | Error> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error('the run hangs')), longestRunMs);
  });
  try {
    return await Promise.race([running, hang]);
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}

/** With the disk in order again the run comes to the same end, and does nothing again that the journal has. */
async function expectSameEnd(
  pipeline: CrashPipeline,
  home: string,
  fault: Fault,
  whole: Whole,
): Promise<void> {
  const name = nameOf(fault);
  expect.soft(lockHolder(path.join(home, 'run', 'lock')), `${name}: the lock`).toBeUndefined();
  const settled = settledOnDisk(home);
  const resumed = await goOn(pipeline, home, faultyFileSystem(), { order: whole.order, settled });
  expectSameRun(resumed, whole, settled, name);
  // What could not be written any more could not be taken away either.
  const leftover = fault.lasts ? /^lock$/ : /^lock$|\.tmp$/;
  const leftovers = readdirSync(resumed.run.directory).filter((file) => leftover.test(file));
  expect.soft(leftovers, name).toEqual([]);
}
