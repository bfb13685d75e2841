import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { RecordedField } from '../../src/run-directory/recorded-fields.js';
import type { Setup } from './harness.js';

// CONTRIBUTING.md: a new option of a run is one row of `recordedFields`. Here are two, and nothing else knows of them.
const rows: readonly (readonly [name: string, field: RecordedField])[] = [
  [
    'lookTwice',
    {
      kind: 'switch',
      kept: 'if_set',
      onResume: 'kept',
      onReplay: 'recorded',
      inherited: true,
      flag: ['--look-twice', 'look twice before a leap'],
      bodies: ['submission', 'resumption'],
    },
  ],
  [
    'leapLimit',
    {
      kind: 'count',
      kept: 'if_set',
      onResume: 'renewed',
      onReplay: 'given',
      flag: ['--leap-limit <n>', 'how far to leap'],
    },
  ],
];

vi.mock('../../src/run-directory/recorded-fields.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/run-directory/recorded-fields.js')>();
  return { ...original, fieldList: [...original.fieldList, ...rows] };
});

const { attractor } = await import('../cli/attractor.js');
const { jsonOf, pipeline, resumePipeline, runPipeline } = await import('./harness.js');
const { openRegistry, untilStatus } = await import('../server/runs/harness.js');
const { submissionSchema, resumptionSchema } = await import('../../src/server/api/run.js');
const { readScript } = await import('../../src/run-directory/simulation-script.js');
const { temporaryDirectory } = await import('../support/temporary-directory.js');

const parent = pipeline(
  'graph [llm_provider=simulated]',
  'a',
  'sub [type=pipeline, child="child.dot"]',
  'start -> a -> sub -> exit',
);
const bothGiven = { lookTwice: true, leapLimit: 3 } as Setup;
const bothKept = { look_twice: true, leap_limit: 3 };

let home: string;

beforeEach(() => {
  home = temporaryDirectory();
  writeFileSync(path.join(home, 'child.dot'), pipeline('c [llm_provider=simulated]', 'start -> c -> exit'));
  writeFileSync(path.join(home, 'main.dot'), parent);
});

const setup = () => ({ workingDirectory: home, sourcePath: path.join(home, 'main.dot'), ...bothGiven });
const optionsIn = (directory: string, ...parts: readonly string[]) =>
  jsonOf(directory, ...parts, 'manifest.json').options;

describe('an option that is one row', () => {
  test('is a flag, which help explains, and goes from there into the manifest', async () => {
    const help = await attractor(['help', 'run'], { cwd: home });
    expect(help.stdout).toMatch(/--look-twice +look twice before a leap/);
    const args = ['run', 'main.dot', '--run-dir', 'r', '--look-twice', '--leap-limit', '3'];
    expect(await attractor(args, { cwd: home })).toMatchObject({ status: 0 });
    expect(optionsIn(home, 'r')).toMatchObject(bothKept);
    const wrong = await attractor([...args, '--leap-limit', 'far'], { cwd: home });
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Expected a whole number of at least 1.'),
    });
  });

  test('goes from the body of a request there where its row says so, and is refused elsewhere', async () => {
    const body = { dot: pipeline('a', 'start -> a -> exit'), look_twice: true };
    expect(resumptionSchema.parse({ look_twice: true })).toEqual({ look_twice: true });
    expect(submissionSchema.safeParse({ ...body, leap_limit: 3 }).success).toBe(false);
    expect(submissionSchema.safeParse({ ...body, look_twice: 'yes' }).success).toBe(false);
    const { registry, home: runs } = await openRegistry();
    const { id } = await registry.submit(submissionSchema.parse(body));
    await untilStatus(registry, id, 'success');
    expect(optionsIn(runs, id).look_twice).toBe(true);
  });

  test('is an option of the library, and must be of its kind', async () => {
    const { directory } = await runPipeline(parent, setup());
    expect(optionsIn(directory)).toMatchObject(bothKept);
    await expect(runPipeline(parent, { ...setup(), lookTwice: 'yes' } as Setup)).rejects.toThrow(
      'the option "lookTwice" must be true or false, not "yes"',
    );
    const none = await runPipeline(parent, {
      ...setup(),
      lookTwice: false,
      leapLimit: undefined,
    } as Setup);
    expect(optionsIn(none.directory)).not.toHaveProperty('look_twice');
    expect(optionsIn(none.directory)).not.toHaveProperty('leap_limit');
  });

  test('is inherited by a child where its row says so', async () => {
    const { directory } = await runPipeline(parent, setup());
    const ofChild = optionsIn(directory, 'sub', 'child');
    expect(ofChild.look_twice).toBe(true);
    expect(ofChild).not.toHaveProperty('leap_limit');
  });

  test('comes back when the run is resumed: a child that starts then has it too', async () => {
    const failing = { ...setup(), script: { a: { outcome: 'fail' } } };
    const { directory, result } = await runPipeline(parent, failing);
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
    const resumed = await resumePipeline(directory, {}, { script: readScript({}, 'the test') });
    expect(resumed.result.status).toBe('success');
    expect(optionsIn(directory, 'sub', 'child').look_twice).toBe(true);
  });

  test('is changed by who resumes the run, for one call or for good', async () => {
    const failing = { ...setup(), script: { a: { outcome: 'fail' } } };
    const { directory } = await runPipeline(parent, failing);
    const changed = { lookTwice: false, leapLimit: 5 } as Setup;
    await resumePipeline(directory, changed, { script: readScript({}, 'the test') });
    expect(optionsIn(directory)).toMatchObject({ look_twice: true, leap_limit: 5 });
    expect(optionsIn(directory, 'sub', 'child')).not.toHaveProperty('look_twice');
  });

  test('holds in a replay as it was recorded, or not', async () => {
    const recorded = path.join(home, 'recorded');
    await runPipeline(parent, { ...setup(), runDirectory: recorded, record: true });
    const played = await runPipeline(parent, {
      workingDirectory: home,
      sourcePath: path.join(home, 'main.dot'),
      runDirectory: path.join(home, 'played'),
      replay: recorded,
    });
    expect(played.result.status).toBe('success');
    expect(optionsIn(played.directory).look_twice).toBe(true);
    expect(optionsIn(played.directory)).not.toHaveProperty('leap_limit');
  });
});
