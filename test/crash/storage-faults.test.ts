import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockHolder } from '../../src/engine/runtime/lock.js';
import { RunError } from '../../src/engine/runtime/run-error.js';
import { type Fault, type FaultyFileSystem, faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { essence, goOn, type Recorded, settledOnDisk, start } from './harness.js';
import { type CrashPipeline, crashPipelines } from './pipelines.js';

const codes = ['ENOSPC', 'EIO'] as const;

const variants = [
  { done: 'half', lasts: true },
  { done: 'nothing', lasts: false },
  { done: 'everything', lasts: false },
  { done: 'nothing', lasts: true },
  { done: 'half', lasts: false },
] as const satisfies readonly Partial<Fault>[];

/** One variant a call, in turn, which between them the pipelines make complete; all of them take minutes. */
function faultsAt(call: number, code: Fault['code']): readonly Fault[] {
  const isThorough = process.env.ATTRACTOR_THOROUGH_TESTS !== undefined;
  const shift = codes.indexOf(code);
  return variants
    .filter((_variant, index) => isThorough || index === (call + shift) % variants.length)
    .map((variant) => ({ call, code, ...variant }));
}

const causes = {
  ENOSPC: 'no space is left on the device',
  EIO: 'the device reports an input/output error',
};

/** A run that ends well although one of these failed has kept everything: they tidy up, behind the last sync. */
const tidyingUp = /^(?:close events\.jsonl|(?:rm|writeFile) lock\S*)$/;

/** Nor does it matter that these are said to have failed where what they make is there. */
const isThereAnyway = /^(?:mkdir|link) /;

const longestRunMs = 20_000;

/** Some thousand runs. */
const patienceMs = 300_000;

describe.each(crashPipelines)('a disk that fails: $name', (pipeline) => {
  let home: string;
  let whole: Recorded;
  let calls: readonly string[];

  beforeEach(async () => {
    home = temporaryDirectory();
    const fileSystem = faultyFileSystem();
    whole = await start(pipeline, path.join(home, 'whole'), fileSystem);
    calls = fileSystem.calls;
  });

  test('the run that nothing happens to is as expected', () => {
    expect(whole.run.result.path.slice(1, -1).join(' ')).toBe(pipeline.path);
    expect(whole.run.result.status).toBe('success');
  });

  test('writes that take only a part of what they are given change nothing', async () => {
    const short = await start(pipeline, path.join(home, 'short'), faultyFileSystem({ writesShort: true }));
    expect(essence(short.run)).toEqual(essence(whole.run));
    expect(short.executed).toEqual(whole.executed);
  });

  test.each(codes)('%s at every call in turn', { timeout: patienceMs }, async (code) => {
    for (let call = 1; call <= calls.length; call += 1) {
      for (const fault of faultsAt(call, code)) {
        const place = path.join(home, nameOf(fault));
        const fileSystem = faultyFileSystem({ fault });
        await expectClearEnd(start(pipeline, place, fileSystem), fileSystem, fault, whole);
        await expectSameEnd(pipeline, place, fault, whole);
      }
    }
  });

  test('and at every call of resuming it', { timeout: patienceMs }, async () => {
    const { directory } = whole.run;
    const lines = readFileSync(path.join(directory, 'events.jsonl'), 'utf8').split('\n');
    const torn = lines.slice(0, lines.length / 2).join('\n');
    const image = (name: string): string => {
      const place = path.join(home, name);
      cpSync(path.dirname(directory), place, { recursive: true });
      writeFileSync(path.join(place, 'run', 'events.jsonl'), torn);
      return place;
    };
    const healthy = faultyFileSystem();
    await goOn(pipeline, image('resumed'), healthy);
    for (let call = 1; call <= healthy.calls.length; call += 1) {
      const code = codes[call % 2] ?? 'EIO';
      for (const fault of faultsAt(call, code)) {
        const place = image(nameOf(fault));
        const fileSystem = faultyFileSystem({ fault });
        await expectClearEnd(goOn(pipeline, place, fileSystem), fileSystem, fault, whole);
        await expectSameEnd(pipeline, place, fault, whole);
      }
    }
  });
});

function nameOf({ call, code, done, lasts }: Fault): string {
  return `${code} at call ${call}, ${done} done${lasts ? ', from then on' : ''}`;
}

/** A run on a disk that fails ends with an error that names file and cause, or it has lost nothing by it. */
async function expectClearEnd(
  running: Promise<Recorded>,
  fileSystem: FaultyFileSystem,
  fault: Fault,
  whole: Recorded,
): Promise<void> {
  const end = await endOf(running);
  const { call, path: failedPath } = fileSystem.failed ?? { call: 'none', path: '' };
  const name = `${nameOf(fault)}: ${call}`;
  if (end instanceof Error) {
    expect.soft(end, name).toBeInstanceOf(RunError);
    expect.soft((end as RunError).code, name).toMatch(/^(?:storage|unusable_directory)$/);
    const file = failedPath.replace(/\.tmp$/, '');
    const isNamed = end.message.includes(file) || end.message.includes(path.dirname(file));
    expect.soft(isNamed, `${name}: ${failedPath} in "${end.message}"`).toBe(true);
    expect.soft(end.message, name).toContain(causes[fault.code]);
    expect.soft(end.message, name).not.toContain('\n');
    return;
  }
  const isHarmless = tidyingUp.test(call) || (fault.done === 'everything' && isThereAnyway.test(call));
  expect.soft(isHarmless, `${name}: the run ended well`).toBe(true);
  expect.soft(essence(end.run), name).toEqual(essence(whole.run));
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
  whole: Recorded,
): Promise<void> {
  const name = nameOf(fault);
  expect.soft(lockHolder(path.join(home, 'run', 'lock')), `${name}: the lock`).toBeUndefined();
  const settled = settledOnDisk(home);
  const { run, executed } = await goOn(pipeline, home, faultyFileSystem());
  expect.soft(essence(run), name).toEqual(essence(whole.run));
  const missing = whole.executed.filter((key) => !settled.has(key));
  expect.soft(executed, `${name}: executed`).toEqual(missing);
  // What could not be written any more could not be taken away either.
  const leftover = fault.lasts ? /^lock$/ : /^lock$|\.tmp$/;
  const leftovers = readdirSync(run.directory).filter((file) => leftover.test(file));
  expect.soft(leftovers, name).toEqual([]);
}
