import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import {
  attractor,
  directoryWith,
  pause,
  type Running,
  startAttractor,
} from '../../integration/process/attractor.js';
import { journalText, linesOf } from '../../support/journal-of.js';
import { isGroupAlive } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { essenceWithoutOrder } from './essence.js';
import { noteFile } from './kill-pipelines.js';
import type { CrashPipeline } from './pipelines.js';
import { attemptKey, journalsIn, placeOf, settledOnDisk } from './places.js';

/** How long the process takes to start, and then for the pipeline, in milliseconds; and what comes of it. */
interface Whole {
  readonly start: number;
  readonly work: number;
  readonly settled: number;
  readonly essence: unknown;
  readonly order: unknown;
}

/** What was on the disk when a process was killed. */
interface Kill {
  /** By name. */
  readonly journals: ReadonlyMap<string, string>;
  readonly settled: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** How runs were killed. */
export interface Killing {
  readonly kills: number;
  readonly runs: number;
  /** Attempts that a tool noted more than once, because the process was killed before it could record them. */
  readonly repeated: number;
}

/** Kills as many processes at random moments, each run until it has ended, and checks that nothing recorded is done again. */
export async function killRuns(
  pipeline: CrashPipeline,
  kills: number,
  random: () => number,
): Promise<Killing> {
  const whole = await runWhole(pipeline);
  const total = { kills: 0, runs: 0, repeated: 0 };
  while (total.kills < kills) {
    const home = directoryWith(filesOf(pipeline));
    const killed = await killUntilDone(pipeline, home, whole, random, kills - total.kills);
    total.kills += killed.length;
    total.runs += 1;
    total.repeated += await verify(home, whole, killed);
  }
  return total;
}

async function runWhole(pipeline: CrashPipeline): Promise<Whole> {
  const home = directoryWith(filesOf(pipeline));
  const startedAt = performance.now();
  const args = [
    'run',
    'main.dot',
    '--run-dir',
    'run',
    '--provider',
    'simulated',
    '--json',
    ...answersOf(pipeline),
  ];
  const { status, stdout, stderr } = await attractor(args, { cwd: home });
  expect(status, stderr).toBe(0);
  const { duration_ms: work, path: nodes } = JSON.parse(stdout);
  const walked = nodes.filter((id: string) => id !== 'start' && id !== 'done');
  // Which branch is faster hangs on chance.
  expect(walked.sort()).toEqual(pipeline.path.split(' ').sort());
  const start = performance.now() - startedAt - work;
  return { start, work, settled: settledOnDisk(home).size, ...endOf(home) };
}

/** By name; `main.dot` is run. */
function filesOf({ dot, files }: CrashPipeline): Readonly<Record<string, string>> {
  return { ...files, 'main.dot': dot };
}

function answersOf({ answers = {} }: CrashPipeline): readonly string[] {
  return Object.entries(answers).flatMap(([stage, given]) =>
    [given].flat().flatMap((answer) => ['--answer', `${stage}=${answer}`]),
  );
}

async function killUntilDone(
  pipeline: CrashPipeline,
  home: string,
  whole: Whole,
  random: () => number,
  most: number,
): Promise<readonly Kill[]> {
  const run = path.join(home, 'run');
  const killed: Kill[] = [];
  for (;;) {
    const hasStarted = existsSync(path.join(run, 'manifest.json'));
    const args = hasStarted
      ? ['resume', 'run']
      : ['run', 'main.dot', '--run-dir', 'run', '--provider', 'simulated', ...answersOf(pipeline)];
    const running = startAttractor(args, { cwd: home });
    const left = 1 - settledOnDisk(home).size / whole.settled;
    // From before the first line of our code until a little after the end.
    const life = 1.1 * (whole.start + whole.work * left);
    const end = killed.length < most ? await killAfter(running, random() * life) : await running.finished;
    if (end !== 'killed') {
      expect(end, end.stderr).toMatchObject({ status: 0 });
      return killed;
    }
    const journals = journalsIn(run).map((name): [string, string] => [name, journalOf(run, name)]);
    killed.push({ journals: new Map(journals), settled: settledOnDisk(home), notes: notesIn(home) });
  }
}

/** Kills the process, and nothing that it has started, unless it has ended by then. */
async function killAfter(running: Running, milliseconds: number) {
  await Promise.race([pause(milliseconds), running.finished]);
  running.kill('SIGKILL');
  const finished = await running.finished;
  return finished.status === null ? 'killed' : finished;
}

/** @returns how many attempts were noted more than once */
async function verify(home: string, whole: Whole, kills: readonly Kill[]): Promise<number> {
  const run = path.join(home, 'run');
  expect(endOf(home)).toEqual({ essence: whole.essence, order: whole.order });
  expect(existsSync(path.join(run, 'lock'))).toBe(false);
  const started = expectNothingAgain(run);
  const notes = notesIn(home);
  for (const kill of kills) {
    for (const [name, text] of kill.journals) expect(journalOf(run, name).startsWith(text)).toBe(true);
    // A tool notes itself before its end is recorded: no note of such an attempt may come later.
    const isSettled = (note: string): boolean => kill.settled.has(note);
    expect(notes.filter(isSettled).sort()).toEqual(kill.notes.filter(isSettled).sort());
  }
  for (const [attempt, times] of countOf(notes)) {
    expect(times, attempt).toBeLessThanOrEqual(started.get(attempt) ?? 0);
  }
  await waitFor('the tools to end', () => pidsIn(home).every((pid) => !isGroupAlive(pid)));
  return [...countOf(notes).values()].filter((times) => times > 1).length;
}

function endOf(home: string): Pick<Whole, 'essence' | 'order'> {
  const directory = path.join(home, 'run');
  return { essence: essenceWithoutOrder(directory), order: orderIn(directory) };
}

/** Checks that every attempt settled once, and did not start again then. @returns how often each has started */
function expectNothingAgain(run: string): ReadonlyMap<string, number> {
  const started: string[] = [];
  const settled = new Set<string>();
  for (const { key, event } of attemptEvents(run)) {
    expect(settled.has(key), `${key}: ${event.description}`).toBe(false);
    if ('outcome' in event) settled.add(key);
    else started.push(key);
  }
  return countOf(started);
}

/** What the main line and every branch visited, in order; which of them is faster hangs on chance. */
function orderIn(run: string): Readonly<Record<string, readonly string[]>> {
  const lines = new Map<string, string[]>();
  for (const { line, key, event } of attemptEvents(run)) {
    if (event.type !== 'StageStarted' || event.resumed) continue;
    lines.set(line, [...(lines.get(line) ?? []), key]);
  }
  return Object.fromEntries(lines);
}

interface AttemptEvent {
  readonly event: Extract<RunEvent, { attempt: number }>;
  readonly key: string;
  /** The run, the restart and the branch that it belongs to. */
  readonly line: string;
}

function* attemptEvents(run: string): Iterable<AttemptEvent> {
  for (const name of journalsIn(run)) {
    const place = placeOf(run, path.dirname(path.join(run, name)));
    let restart = '';
    for (const text of journalOf(run, name).trimEnd().split('\n')) {
      const event = JSON.parse(text) as RunEvent;
      if (event.type === 'LoopRestarted') restart = `${event.directory}/`;
      if (event.type !== 'StageStarted' && !('outcome' in event)) continue;
      const line = `${place}${restart}${event.branch ?? ''}`;
      yield { event, key: `${place}${restart}${attemptKey(event)}`, line };
    }
  }
}

function journalOf(run: string, name: string): string {
  return journalText(path.dirname(path.join(run, name)));
}

/** The attempts that tools have noted, by their keys; a note whose tool was killed may be cut off. */
function notesIn(home: string): readonly string[] {
  const run = path.join(home, 'run');
  const places = new Map(
    journalsIn(run).map((name) => {
      const directory = path.dirname(path.join(run, name));
      const { run_id } = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8'));
      return [run_id, placeOf(run, directory)];
    }),
  );
  return wordsIn(home).map(([key = '', attempt]) => {
    const [runId = '', ...rest] = key.split('/');
    const visit = rest.pop();
    // Between restart and node stands the branch.
    const restart = rest[0]?.startsWith('restart-') === true ? `${rest[0]}/` : '';
    return `${places.get(runId)}${restart}${rest.at(-1)}#${visit}.${attempt}`;
  });
}

function pidsIn(home: string): readonly number[] {
  return wordsIn(home).map(([_key, _attempt, pid]) => Number(pid));
}

function wordsIn(home: string): readonly (readonly string[])[] {
  return linesOf(path.join(home, noteFile)).map((line) => line.split(' '));
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
