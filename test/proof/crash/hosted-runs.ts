import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { pullRun } from '../../../src/cluster/pull-run.js';
import { RunHistory } from '../../../src/cluster/run-history.js';
import { readJournal } from '../../../src/journal/journal.js';
import { type ComparedRun, journalDifference } from '../../../src/run/recording/journal-difference.js';
import type { RunOptions } from '../../../src/run/run.js';
import type { RunPorts } from '../../../src/run/run-options.js';
import { submitted, type TestCluster } from '../../cluster/harness.js';
import { jsonOf, type PipelineRun } from '../../run/harness.js';
import { journalsIn } from './places.js';

/** A run of a cluster. */
export interface HostedRun {
  readonly cluster: TestCluster;
  /**
   * Directory of the run on its worker. It is the same on all of them, because stages may keep its name, as in `child.run_dir`, and
   * empty on each.
   */
  readonly directory: string;
  /** Place for directories that are pulled. */
  readonly home: string;
}

/** The end of a run in a cluster. */
export interface HostedEnd {
  /** As the directory of the last worker has it. */
  readonly onWorker: PipelineRun;
  /** As the recorded steps have it: in a directory like the one that `attractor pull` makes. */
  readonly pulled: PipelineRun;
}

/** What one worker has that others have not. */
export type WorkerPorts = Pick<RunPorts, 'handlers' | 'backend'>;

export async function host(dot: string, options: RunOptions, home: string): Promise<HostedRun> {
  mkdirSync(home, { recursive: true });
  return { cluster: await submitted(dot, options, home), directory: path.join(home, 'worker', 'run'), home };
}

/** Carries a run to its end on a worker with an empty disk. */
export async function carryOn(run: HostedRun, ports: WorkerPorts): Promise<HostedEnd> {
  const { cluster, directory } = run;
  rmSync(directory, { recursive: true, force: true });
  await cluster.work({ directory, ports });
  return { onWorker: endOf(directory), pulled: endOf(await pulled(run)) };
}

/** Makes a directory of a run as it is recorded. */
export async function pulled({ cluster, home }: Omit<HostedRun, 'directory'>): Promise<string> {
  const { submission, engine, store } = cluster;
  const history = new RunHistory(submission);
  for (const batch of engine.batches) history.add(batch);
  const directory = path.join(mkdtempSync(path.join(home, 'pulled-')), 'run');
  const compileOptions = { handlerTypes: ['work'] };
  expect(await pullRun({ history, files: store }, directory, { compileOptions })).toEqual([]);
  return directory;
}

function endOf(directory: string): PipelineRun {
  return { result: jsonOf(directory, 'result.json'), events: [], directory };
}

/**
 * Lets the worker of a run die after each of its recorded steps.
 * @param goOn continues with the run that is left, elsewhere
 * @returns how many died
 */
export async function cutAfterEachStep(
  { cluster, directory, home }: HostedRun,
  goOn: (left: HostedRun, name: string) => Promise<void>,
): Promise<number> {
  const { length } = cluster.engine.batches;
  for (let steps = 0; steps < length; steps += 1) {
    const cut = path.join(home, 'cut');
    mkdirSync(cut);
    try {
      await goOn(
        { cluster: cluster.after(steps), directory, home: cut },
        `after ${steps} of ${length} steps`,
      );
    } finally {
      rmSync(cut, { recursive: true, force: true });
    }
  }
  return length;
}

/** Checks that a run in a cluster, and those that its stages have started, have the journals of one on one machine. */
export function expectSameJournals(local: PipelineRun, run: HostedRun, end: HostedEnd, name: string): void {
  const pulled = end.pulled.directory;
  expect.soft(journalsIn(pulled), name).toEqual(journalsIn(local.directory));
  for (const journal of journalsIn(local.directory)) {
    const compared = (directory: string, ...others: readonly string[]): ComparedRun => ({
      events: readJournal(path.join(directory, journal)).events,
      places: { runDirectories: [directory, ...others], workingDirectories: [] },
    });
    const difference = journalDifference(compared(local.directory), compared(pulled, run.directory));
    expect.soft(difference?.diff, `${name}: ${journal}`).toBeUndefined();
  }
}
