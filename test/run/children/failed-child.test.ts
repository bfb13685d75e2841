import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalText, readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import { acquireLock } from '../../../src/run-directory/lock.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  type Setup,
  testEach,
} from '../harness.js';
import { managed, projectOf, runProject, subPipeline } from './children.js';

// A run that failed in a child run continues with that child, whatever has become of it since; or it is refused, untouched.

const tool = (name: string, condition = 'true') =>
  `${name} [type=tool, tool_command="echo ${name} >> ran; ${condition}"]`;
const kid = pipeline(tool('k1'), tool('k2', 'test -e go'), tool('k3'), 'start -> k1 -> k2 -> k3 -> exit');
const nested = pipeline('deep [type=pipeline, child="kid.dot"]', 'start -> deep -> exit');
const other = pipeline(tool('o1'), tool('o2', 'test -e go'), 'start -> o1 -> o2 -> exit');

interface Failed {
  readonly project: string;
  /** The run. */
  readonly directory: string;
  /** The directory of the child. */
  readonly child: string;
}

interface Shape {
  readonly main: string;
  readonly child: string;
  readonly place: string;
}

const sub: Shape = { main: subPipeline(), child: kid, place: 'sub/child' };

/** A run that has failed at `k2`; the cause is gone. */
async function failed({ main, child, place }: Shape = sub): Promise<Failed> {
  const project = projectOf({ 'main.dot': main, 'child.dot': child, 'kid.dot': kid });
  const sourcePath = path.join(project, 'main.dot');
  const runDirectory = path.join(project, 'run');
  const { result } = await runOnDisk(main, {
    ...{ workingDirectory: project, sourcePath, runDirectory },
    clock: systemClock,
  });
  expect(result.status).toBe('fail');
  writeFileSync(path.join(project, 'go'), '');
  return { project, directory: runDirectory, child: path.join(runDirectory, place) };
}

/** The tools take real time: on a virtual clock a manager may be through with its cycles before they are. */
function goneOn(
  directory: string,
  setup: Setup = {},
  only: { readonly from?: string } = {},
): Promise<PipelineRun> {
  return resumePipeline(directory, { clock: systemClock, ...setup }, only);
}

const ran = ({ project }: Failed): readonly string[] => fileOf(project, 'ran').trim().split('\n');

/** Cuts a journal after the last event of a type, as a process leaves it that is killed then. */
function cutBehind(directory: string, type: RunEvent['type'], nodeId?: string): void {
  const file = path.join(directory, 'events.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const last = lines.findLastIndex((line) => {
    const event = JSON.parse(line);
    return event.type === type && (nodeId === undefined || event.node_id === nodeId);
  });
  expect(last).toBeGreaterThan(0);
  writeFileSync(file, `${lines.slice(0, last + 1).join('\n')}\n`);
  for (const name of ['checkpoint.json', 'result.json']) rmSync(path.join(directory, name), { force: true });
}

/** Resumes the child by itself and has it pause when `k2` begins. */
async function pauseChild({ child }: Failed): Promise<void> {
  const pausing = new AbortController();
  const { result } = await goneOn(child, {
    pauseSignal: pausing.signal,
    onEvent: (event) => {
      if (event.type === 'StageStarted' && event.node_id === 'k2') pausing.abort({ mode: 'now' });
    },
  });
  expect(result.status).toBe('paused');
}

const shapes: readonly (Shape & { readonly name: string })[] = [
  { name: 'a sub-pipeline', ...sub },
  { name: 'a manager', main: managed(), child: kid, place: 'lead/child' },
  { name: 'two levels', main: subPipeline(), child: nested, place: 'sub/child/deep/child' },
];

const meanwhile: readonly {
  readonly name: string;
  readonly act: (run: Failed) => Promise<unknown> | undefined;
  readonly ran: readonly string[];
}[] = [
  { name: 'nothing', act: () => undefined, ran: ['k1', 'k2', 'k2', 'k3'] },
  { name: 'it succeeded', act: ({ child }) => goneOn(child), ran: ['k1', 'k2', 'k2', 'k3'] },
  {
    name: 'it was cut off',
    act: async ({ child }) => {
      await goneOn(child);
      cutBehind(child, 'StageStarted', 'k2');
    },
    ran: ['k1', 'k2', 'k2', 'k3', 'k2', 'k3'],
  },
  { name: 'it was paused', act: pauseChild, ran: ['k1', 'k2', 'k2', 'k3'] },
];

describe('66b: what had finished in a child that failed is not done again', () => {
  for (const shape of shapes)
    describe(shape.name, () =>
      testEach(
        meanwhile.map((row) => ({ ...row, name: `when meanwhile ${row.name}` })),
        async ({ act, ran: expected }) => {
          const run = await failed(shape);
          await act(run);
          const { result } = await goneOn(run.directory);
          expect(result.status).toBe('success');
          const calls = ran(run);
          expect(calls.filter((name) => name === 'k1')).toHaveLength(1);
          // A stage that is stopped at its very beginning may or may not have come to do something.
          expect(calls.filter((name) => name !== 'k2')).toEqual(expected.filter((name) => name !== 'k2'));
          expect(jsonOf(run.child, 'result.json').status).toBe('success');
        },
      ),
    );

  test('the journal says that the result of another call is taken', async () => {
    const run = await failed();
    await goneOn(run.child);
    const { events } = await goneOn(run.directory);
    const notes = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(notes).toEqual([expect.stringContaining('finished after the stage had failed')]);
  });

  test('a stage that failed although its child had succeeded has another one', async () => {
    const run = await failed();
    // As if the stage had written the failure into its status file itself.
    const file = path.join(run.directory, 'events.jsonl');
    const changed = readJournal(file).events.map((event) =>
      JSON.parse(JSON.stringify(event).replaceAll('"child.status":"fail"', '"child.status":"success"')),
    );
    writeFileSync(file, journalText(changed).text);
    expect((await goneOn(run.directory)).result.status).toBe('success');
    expect(ran(run)).toEqual(['k1', 'k2', 'k1', 'k2', 'k3']);
  });

  test('nor when the run that continues is cut off at any event, and no failure is reported twice', async () => {
    const run = await failed();
    const moments: string[] = [];
    const keep = (): void => {
      const copy = path.join(run.project, `moment-${moments.length}`);
      cpSync(run.directory, copy, { recursive: true });
      moments.push(copy);
    };
    await goneOn(run.directory, { onEvent: keep, onChildEvent: keep });
    expect(moments.length).toBeGreaterThan(10);
    for (const [moment, directory] of moments.entries()) {
      for (const lock of locksIn(directory)) rmSync(lock);
      rmSync(path.join(run.project, 'ran'));
      writeFileSync(path.join(run.project, 'ran'), '');
      const { result } = await goneOn(directory);
      expect(result.status, `moment ${moment}`).toBe('success');
      expect(ran(run), `moment ${moment}`).not.toContain('k1');
      expect(jsonOf(directory, 'sub/child/result.json').path, `moment ${moment}`).toEqual([
        ...['start', 'k1', 'k2', 'k2', 'k3', 'exit'],
      ]);
    }
  });
});

function locksIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((entry) => path.basename(entry).startsWith('lock'))
    .map((entry) => path.join(directory, entry));
}

const journalOf = (directory: string): string => path.join(directory, 'events.jsonl');

/** What happens to the child, and what is said of it. */
const damages: readonly {
  readonly name: string;
  readonly act: (run: Failed) => unknown;
  readonly says: string;
}[] = [
  { name: 'no journal', act: ({ child }) => rmSync(journalOf(child)), says: 'events.jsonl' },
  { name: 'an empty journal', act: ({ child }) => writeFileSync(journalOf(child), ''), says: 'events.jsonl' },
  {
    name: 'an empty journal and no checkpoint',
    act: ({ child }) => {
      writeFileSync(journalOf(child), '');
      rmSync(path.join(child, 'checkpoint.json'));
    },
    says: 'is empty or missing',
  },
  {
    name: 'a journal with two lines swapped',
    act: ({ child }) => {
      const [one, two, ...rest] = readFileSync(journalOf(child), 'utf8').split('\n');
      writeFileSync(journalOf(child), [two, one, ...rest].join('\n'));
    },
    says: 'damaged in line 1',
  },
  {
    name: 'a journal with a strange line',
    act: ({ child }) => appendFileSync(journalOf(child), '{}\n'),
    says: 'damaged in line',
  },
  {
    name: 'no manifest',
    act: ({ child }) => rmSync(path.join(child, 'manifest.json')),
    says: 'manifest.json',
  },
  { name: 'no pipeline', act: ({ child }) => rmSync(path.join(child, 'pipeline.dot')), says: 'pipeline.dot' },
  {
    name: 'another pipeline',
    act: ({ child }) => writeFileSync(path.join(child, 'pipeline.dot'), other),
    says: 'is not the pipeline that this run was started with',
  },
  { name: 'no directory', act: ({ child }) => rmSync(child, { recursive: true }), says: 'contains no run' },
  {
    name: 'another run',
    act: async ({ child, project }) => {
      const { directory } = await runProject({ 'main.dot': other });
      renameSync(child, path.join(project, 'kept'));
      cpSync(directory, child, { recursive: true });
    },
    says: 'but the child run of stage',
  },
];

describe('66: damage to a failed child refuses the resume, and changes nothing', () => {
  for (const shape of shapes)
    describe(shape.name, () =>
      testEach(damages, async ({ act, says }) => {
        const run = await failed(shape);
        const whole = path.join(run.project, 'whole');
        cpSync(run.child, whole, { recursive: true });
        await act(run);
        const before = snapshotOf(run.directory);
        await expect(goneOn(run.directory)).rejects.toMatchObject({
          code: 'run_damaged',
          message: expect.stringContaining(says),
        });
        expect(snapshotOf(run.directory)).toEqual(before);
        rmSync(run.child, { recursive: true, force: true });
        cpSync(whole, run.child, { recursive: true });
        const { result } = await goneOn(run.directory);
        expect(result.status, result.failure_reason).toBe('success');
        expect(ran(run)).toEqual(['k1', 'k2', 'k2', 'k3']);
      }),
    );

  test('one that somebody is at work in is not moved away', async () => {
    const run = await failed();
    const before = snapshotOf(run.directory);
    const lock = acquireLock(path.join(run.child, 'lock'));
    await expect(goneOn(run.directory)).rejects.toMatchObject({ code: 'run_locked' });
    lock.release();
    expect(snapshotOf(run.directory)).toEqual(before);
    expect((await goneOn(run.directory)).result.status).toBe('success');
    expect(ran(run)).toEqual(['k1', 'k2', 'k2', 'k3']);
  });

  test('the stage may be told to start over', async () => {
    const run = await failed();
    rmSync(run.child, { recursive: true });
    const { result } = await goneOn(run.directory, {}, { from: 'sub' });
    expect(result.status).toBe('success');
    expect(existsSync(path.join(run.child, 'result.json'))).toBe(true);
    expect(ran(run)).toEqual(['k1', 'k2', 'k1', 'k2', 'k3']);
  });

  test('a child that a pause has left is looked at before the run continues, too', async () => {
    const gated = pipeline(
      'ask [shape=hexagon]',
      'start -> ask',
      'ask -> exit [label="[Y] Yes"]',
      'ask -> exit [label="[N] No"]',
    );
    const { directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': gated });
    rmSync(path.join(directory, 'sub/child/manifest.json'));
    const before = snapshotOf(directory);
    await expect(goneOn(directory)).rejects.toMatchObject({ code: 'run_damaged' });
    expect(snapshotOf(directory)).toEqual(before);
  });
});

/** Every file of a directory, with its content. */
function snapshotOf(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(directory, file), readFileSync(file, 'utf8')] as const;
    }),
  );
}
