import { Argument, InvalidArgumentError, Option } from 'commander';
import type { ClusterRunSummary } from '../../cluster/cluster-summaries.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { clusterHome, runsHome, undecodableRuns } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunSummary } from '../../view/summarize-run.js';
import {
  addDatabaseOption,
  type DatabaseArguments,
  databaseIfAny,
  withCluster,
} from '../cluster/database.js';
import { withRun } from '../cluster/with-run.js';
import { type CliCommand, parseAge } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import type { PruneChoice } from '../runs/prune-runs.js';
import type { RunFilter } from '../runs/selected-runs.js';

interface RunsArguments extends RunFilter, PruneChoice, DatabaseArguments {
  readonly dryRun?: true;
  readonly json?: true;
}

const statuses = ['queued', 'running', 'paused', 'interrupted', 'success', 'fail', 'cancelled', 'damaged'];

/** `attractor runs`: the runs below `.attractor/runs`, the newest first; `runs prune` removes old ones (DESIGN §5). */
export const runsCommand: CliCommand<RunsArguments> = {
  name: 'runs',
  summary: 'List the runs of this directory, or remove old ones',
  example: 'attractor runs --active',
  configure: (command) =>
    addDatabaseOption(command)
      .addArgument(
        new Argument('[action]', 'list the runs, or remove the chosen ones that have ended')
          .choices(['list', 'prune'])
          .default('list'),
      )
      .option('--active', 'only runs that have not ended: queued, running, paused or interrupted')
      .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
      .option('--name <name>', 'only runs of this pipeline, by the name of its graph')
      .option('--parent <run>', 'only runs that stages of this run have started')
      .option(
        '--older-than <duration>',
        'only runs that began longer ago than this, such as 12h or 30d',
        parseAge,
      )
      .option('--keep <n>', 'prune: keep the newest n of the chosen runs', parseCount)
      .option('--dry-run', 'prune: only print what would be removed')
      .option('--json', 'print the list as JSON'),
  async run([action = 'list'], options, io) {
    const database = databaseIfAny(options, io);
    if (database !== undefined && (action !== 'prune' || options.database !== undefined))
      return listCluster(action, database, options, io);
    const left = undecodableRuns(io.cwd());
    if (left.length > 0) {
      const names = printable(listFirst(left));
      io.stderr.write(`left out, because the name is not UTF-8; rename the directory: ${names}\n`);
    }
    if (action === 'prune') return prune(options, io);
    refusePruneOptions(options);
    const { selectedRuns } = await import('../runs/selected-runs.js');
    return list(selectedRuns(options, io), options, io);
  },
};

function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return Number(text);
}

async function prune(options: RunsArguments, io: Io): Promise<number> {
  const { prunedRuns, removeRun } = await import('../runs/prune-runs.js');
  const { selectedRuns } = await import('../runs/selected-runs.js');
  const chosen = prunedRuns(selectedRuns(options, io), options);
  const removed: RunSummary[] = [];
  for (const run of chosen) {
    const problem = options.dryRun ? undefined : await removeRun(run.run_dir);
    if (problem === undefined) removed.push(run);
    else io.stderr.write(`attractor: ${printable(run.run_id)} was not removed: ${printable(problem)}\n`);
  }
  if (options.json) io.stdout.write(`${terminalJson({ removed }, 2)}\n`);
  else if (removed.length > 0)
    io.stdout.write(removed.map(({ run_id: id }) => `${printable(id)}\n`).join(''));
  const count = removed.length === 1 ? '1 run' : `${removed.length} runs`;
  io.stderr.write(`${count} ${options.dryRun ? 'would be removed' : 'removed'}\n`);
  return removed.length === chosen.length ? exitCode.ok : exitCode.failure;
}

/** Lists the runs of a cluster. */
async function listCluster(
  action: string,
  database: string,
  options: RunsArguments,
  io: Io,
): Promise<number> {
  if (action === 'prune')
    throw new UsageError('`attractor runs prune` removes directories of this machine: leave out --database');
  refusePruneOptions(options);
  const { childDirectories, thoseOf } = await import('../runs/selected-runs.js');
  const { summarizeRun } = await import('../../view/summarize-run.js');
  const { parent } = options;
  if (parent !== undefined)
    return withRun(parent, options, io, async ({ directory }) =>
      list(thoseOf(childDirectories(directory).map(summarizeRun), options), options, io),
    );
  const { summarizeRuns } = await import('../../cluster/cluster-summaries.js');
  const runs = await withCluster(database, (cluster) => summarizeRuns(cluster, clusterHome(io.cwd())));
  return list(thoseOf(runs, options), options, io, 'in the database');
}

function refusePruneOptions({ keep, dryRun }: RunsArguments): void {
  if (keep !== undefined || dryRun)
    throw new UsageError('--keep and --dry-run belong to `attractor runs prune`');
}

async function list(
  runs: readonly (RunSummary & Partial<ClusterRunSummary>)[],
  options: RunsArguments,
  io: Io,
  place = `below ${runsHome('.')}`,
): Promise<number> {
  if (options.json) {
    io.stdout.write(`${terminalJson({ runs }, 2)}\n`);
  } else if (runs.length === 0) {
    io.stderr.write(`There are no ${isFiltered(options) ? 'such ' : ''}runs ${place}.\n`);
  } else {
    const { Chalk } = await import('chalk');
    const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
    const hasWorkers = runs.some(({ worker }) => worker !== undefined);
    const rows = runs.map((run) => [
      ...rowOf(run, Date.now()),
      ...(hasWorkers ? [printable(run.worker ?? '–')] : []),
    ]);
    const header = [
      'RUN',
      'STATUS',
      'STAGES',
      'LAST STAGE',
      'TOOK',
      'STARTED',
      ...(hasWorkers ? ['WORKER'] : []),
    ];
    const { isTTY, columns = 80 } = io.stdout;
    const lines = align([header, ...rows], isTTY ? columns : Number.POSITIVE_INFINITY);
    io.stdout.write(lines.map((line, index) => `${index === 0 ? chalk.dim(line) : line}\n`).join(''));
  }
  return exitCode.ok;
}

function isFiltered({ active, status, name, parent, olderThan }: RunFilter): boolean {
  return [active, status, name, parent, olderThan].some((filter) => filter !== undefined);
}

function rowOf(run: RunSummary, now: number): readonly string[] {
  const age = now - Date.parse(run.start_time);
  return [
    printable(run.run_id),
    printable(run.status) + (run.simulated ? ' (simulated)' : ''),
    String(run.steps),
    printable(run.current_node ?? '–'),
    run.duration_ms === null ? '–' : formatDuration(run.duration_ms),
    Number.isNaN(age) ? '–' : `${formatDuration(age)} ago`,
  ];
}

/** Columns that a narrow terminal can do without, the least important first. */
const dispensable = ['WORKER', 'LAST STAGE', 'TOOK', 'STAGES', 'STARTED'];

/** Rows in columns, of which those are left out that a terminal has no room for. */
function align(rows: readonly (readonly string[])[], room: number): readonly string[] {
  const [header = []] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => textColumns(row[column] ?? ''))));
  const shown = new Set(header.keys());
  for (const name of dispensable) {
    const needed = [...shown].reduce((sum, column) => sum + (widths[column] ?? 0) + 2, -2);
    if (needed > room) shown.delete(header.indexOf(name));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => padColumns(cell, widths[column] ?? 0))
      .filter((_, column) => shown.has(column))
      .join('  ')
      .trimEnd(),
  );
}
