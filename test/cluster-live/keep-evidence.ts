import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Running } from '../integration/process/attractor.js';
import { noteFile } from '../proof/crash/kill-pipelines.js';
import type { LiveCluster } from './live-cluster.js';

/** Tables of which the rows of a run are kept, with the column that names it. */
const tables = {
  workflow_status: 'workflow_uuid',
  workflow_output: 'workflow_uuid',
  operation_outputs: 'workflow_uuid',
  notifications: 'destination_uuid',
};

/** What a test knows of its failure. */
interface Evidence {
  /** Runs that may have failed. */
  readonly runIds: readonly string[];
  /** All workers that there were, in the order in which they were started. */
  readonly workers: readonly Running[];
  /** What the test has done, and when. */
  readonly log: readonly string[];
}

/**
 * Keeps what can explain a failure that nobody can repeat: the rows of the runs in the database, their directories, and the outputs of
 * the workers.
 * @returns the directory that has it, which outlives the test
 */
export async function keepEvidence(
  cluster: LiveCluster,
  { runIds, workers, log }: Evidence,
): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-evidence-'));
  writeFileSync(path.join(directory, 'log'), `${log.join('\n')}\n`);
  for (const [index, worker] of workers.entries())
    writeFileSync(path.join(directory, `worker-${index}-${worker.pid}`), worker.output());
  copyIfThere(path.join(cluster.directory, noteFile), path.join(directory, noteFile));
  for (const runId of runIds) {
    const ofRun = path.join(directory, runId);
    mkdirSync(ofRun);
    copyIfThere(path.join(cluster.directory, 'runs', runId), path.join(ofRun, 'directory'));
    for (const [table, column] of Object.entries(tables))
      writeFileSync(path.join(ofRun, `${table}.json`), await rowsOf(cluster, table, column, runId));
  }
  return directory;
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** @returns rows as lines of JSON, or the reason why they cannot be had */
async function rowsOf(cluster: LiveCluster, table: string, column: string, runId: string): Promise<string> {
  try {
    const rows = await cluster.query(`select * from dbos.${table} where ${column} = $1`, [runId]);
    return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  } catch (error) {
    return String(error);
  }
}
