import path from 'node:path';
import type { Cluster, ClusterRun } from '../../cluster/cluster.js';
import type { RunMirror } from '../../cluster/mirror/run-mirror.js';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import { RunError } from '../../run-directory/run-error.js';
import { clusterHome, findRun, runIdsIn, runsHome } from '../../setup/find-run.js';
import { newestRunIn } from '../../setup/newest-run.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';
import { type DatabaseArguments, databaseIfAny, isRunPath, withCluster } from './database.js';

/** Options of a call that names runs. */
interface RunCallArguments extends DatabaseArguments {
  readonly detach?: true;
}

/** Run that a call names, wherever it is. */
export interface NamedRun {
  /** Directory with its files; of a run of a cluster, one that is kept up to date while the command uses it. */
  readonly directory: string;
  /** The run in its cluster; undefined for one of this machine. */
  readonly inCluster: ClusterRun | undefined;
  /** That cluster. */
  readonly cluster: Cluster | undefined;
}

/**
 * Finds the run that a call names, or the newest one, and uses it (SEMANTICS 89). A path always names a directory. An id names a run of the
 * database if the call names one; if only the environment does, a run that is not in the database may be one of this machine.
 * @throws RunError `run_not_found` if there is none, UsageError if the database cannot be used
 */
export function withRun<Result>(
  name: string | undefined,
  given: RunCallArguments,
  io: Io,
  use: (run: NamedRun) => Promise<Result>,
): Promise<Result> {
  return withRuns([name], given, io, ([run]) => {
    if (run === undefined) throw new Error('no run was found, and none is missing');
    return use(run);
  });
}

/** The same for several runs; one that is named twice is given once. */
export async function withRuns<Result>(
  names: readonly (string | undefined)[],
  given: RunCallArguments,
  io: Io,
  use: (runs: readonly NamedRun[]) => Promise<Result>,
): Promise<Result> {
  const database = databaseIfAny(given, io);
  const isLocal = database === undefined || names.every((name) => name !== undefined && isRunPath(name));
  if (isLocal) return use(distinct(names.map((name) => ofThisMachine(name, io))));
  return withCluster(database, async (cluster) => {
    const mirrors: RunMirror[] = [];
    try {
      const runs: NamedRun[] = [];
      for (const name of names) {
        const run = await findInCluster(cluster, name, given, io);
        if (run === undefined) {
          refuseDetached(name, given);
          runs.push(ofThisMachine(name, io));
        } else {
          const mirror = await mirrorOf(run, io);
          mirrors.push(mirror);
          runs.push({ directory: mirror.directory, inCluster: run, cluster });
        }
      }
      return await Promise.race([use(distinct(runs)), ...mirrors.map(({ broken }) => broken)]);
    } finally {
      await Promise.all(mirrors.map((mirror) => mirror.close()));
    }
  });
}

/** Directory of a run with the files that its stages have left so far, for commands that show them; says which cannot be had. */
export async function directoryWithFiles(
  { directory, inCluster }: NamedRun,
  io: Pick<Io, 'stderr'>,
): Promise<string> {
  if (inCluster === undefined) return directory;
  const { remarkOnMissing } = await import('./missing-files.js');
  const { writeFiles } = await import('../../cluster/files/write-files.js');
  const { nodeFileSystem } = await import('../../run-directory/file-system.js');
  const { files: store, history } = inCluster;
  const missing = await writeFiles({ directory, fileSystem: nodeFileSystem, store, tree: history.files });
  const remark = remarkOnMissing(missing, history);
  if (remark !== undefined) io.stderr.write(`attractor: ${remark}\n`);
  return directory;
}

/** Only a path tells before a look into the database that the run needs a process in the background here. */
function refuseDetached(name: string | undefined, { detach }: RunCallArguments): void {
  if (!detach) return;
  throw new UsageError(
    `${printable(name ?? 'the run')} is a run of this machine; name its directory to use --detach`,
  );
}

function distinct(runs: readonly NamedRun[]): readonly NamedRun[] {
  return [...new Map(runs.map((run) => [run.directory, run])).values()];
}

function ofThisMachine(name: string | undefined, io: Io): NamedRun {
  const cwd = io.cwd();
  const directory = name === undefined ? newestRunIn(runsHome(cwd)) : findRun(name, cwd);
  return { directory, inCluster: undefined, cluster: undefined };
}

/** Finds the run that a call names in the database. @returns undefined for what may be a run of this machine */
export async function findInCluster(
  cluster: Pick<Cluster, 'find' | 'list'>,
  name: string | undefined,
  { database }: DatabaseArguments,
  io: Pick<Io, 'cwd'>,
): Promise<ClusterRun | undefined> {
  if (name !== undefined && isRunPath(name)) return undefined;
  const id = name ?? (await cluster.list(1))[0]?.runId;
  const run = id === undefined ? undefined : await cluster.find(id);
  if (run !== undefined) return run;
  const missing =
    name === undefined
      ? 'there are no runs in the database'
      : `there is no run "${name}" in the database${await guess(cluster, name)}`;
  if (database !== undefined) throw new RunError('run_not_found', `${missing}. ${listHint}`);
  if (name === undefined && runIdsIn(runsHome(io.cwd())).length === 0)
    throw new RunError('run_not_found', `${missing}, nor on this machine`);
  if (name !== undefined && !isOnThisMachine(name, io.cwd()))
    throw new RunError('run_not_found', `${missing}, nor on this machine. ${listHint}`);
  return undefined;
}

/** A run that the call may mean. */
async function guess(cluster: Pick<Cluster, 'list'>, name: string): Promise<string> {
  const runs = await cluster.list(mostGuessed);
  return didYouMean(
    name,
    runs.map(({ runId }) => runId),
  );
}

const mostGuessed = 200;
const listHint = '`attractor runs --database URL` lists the runs there';

function isOnThisMachine(name: string, cwd: string): boolean {
  try {
    findRun(name, cwd);
    return true;
  } catch (error) {
    if (error instanceof RunError && error.code === 'run_not_found') return false;
    throw error;
  }
}

async function mirrorOf(run: ClusterRun, io: Io): Promise<RunMirror> {
  const { RunMirror } = await import('../../cluster/mirror/run-mirror.js');
  const onNotice = (notice: string): void => void io.stderr.write(`attractor: ${printableLines(notice)}\n`);
  const { problemOf } = await import('../../cluster/cluster-summaries.js');
  const { runId } = run.history.submission;
  const problem = problemOf(run);
  if (problem !== undefined)
    onNotice(`the cluster stopped ${printable(runId)}: ${problem}. Resume it after you fix the cause`);
  return RunMirror.open(run, path.join(clusterHome(io.cwd()), runId), { onNotice });
}
