import { Argument } from 'commander';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments, databaseOf, withCluster } from '../cluster/database.js';
import { type CliCommand, parseAge } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';

interface ClusterArguments extends DatabaseArguments {
  readonly json?: true;
  readonly olderThan?: number;
  readonly dryRun?: boolean;
}

const actions = ['migrate', 'status', 'workers', 'prune'] as const;

/** `attractor cluster`: prepares the database of a cluster, and shows what is in it. */
export const clusterCommand: CliCommand<ClusterArguments> = {
  name: 'cluster',
  summary: 'Prepare the database of a cluster, show its runs and workers, or remove old runs',
  example: 'attractor cluster status --database postgresql://attractor@db/attractor',
  configure: (command) =>
    addDatabaseOption(
      command
        .addArgument(
          new Argument(
            '<action>',
            'migrate: make the tables; status: show the newest runs; workers: show the workers; prune: remove old runs',
          ).choices(actions),
        )
        .option(
          '--older-than <duration>',
          'prune: only runs that ended longer ago than this, such as 12h or 30d',
          parseAge,
        )
        .option('--dry-run', 'prune: only print how many runs would be removed')
        .option('--json', 'print it as JSON'),
    ),
  async run([action], options, io) {
    const database = databaseOf(options, io);
    if (action === 'prune') return prune(database, options, io);
    if (options.olderThan !== undefined || options.dryRun)
      throw new UsageError('--older-than and --dry-run belong to `attractor cluster prune`');
    const { renderRuns, renderWorkers } = await import('../cluster/render-cluster.js');
    const show = (name: string, rows: readonly object[], text: string): number => {
      io.stdout.write(options.json ? `${terminalJson({ [name]: rows }, 2)}\n` : text);
      return exitCode.ok;
    };
    switch (action as Exclude<(typeof actions)[number], 'prune'>) {
      case 'migrate': {
        const { checkDatabase } = await import('../../cluster/dbos/check-database.js');
        await checkDatabase(database);
        const { migrateCluster } = await import('../../cluster/dbos/migrate.js');
        const { hasRoles } = await migrateCluster(database);
        io.stdout.write('The database is ready for workers.\n');
        if (!hasRoles) io.stdout.write(withoutRoles);
        return exitCode.ok;
      }
      case 'status':
        return withCluster(database, async (cluster) => {
          const { listRuns } = await import('../../cluster/cluster-summaries.js');
          const runs = await listRuns(cluster, shownRuns);
          return show('runs', runs, renderRuns(runs, Date.now()));
        });
      case 'workers':
        return withCluster(database, async (cluster) => {
          const workers = await cluster.workers();
          return show('workers', workers, renderWorkers(workers, Date.now()));
        });
    }
  },
};

const shownRuns = 50;

async function prune(
  database: string,
  { olderThan, dryRun = false, json }: ClusterArguments,
  io: Io,
): Promise<number> {
  if (olderThan === undefined)
    throw new UsageError('say which runs to remove: --older-than 30d; add --dry-run to see how many');
  return withCluster(database, async () => {
    const { pruneRuns } = await import('../../cluster/dbos/prune.js');
    const before = Date.now() - olderThan;
    const runs = await pruneRuns(database, { before, isDryRun: dryRun });
    const what = `${runs} ${runs === 1 ? 'run' : 'runs'} that ended before ${new Date(before).toISOString()}`;
    const said = `${dryRun ? 'Would remove' : 'Removed'} ${what}.`;
    io.stdout.write(json ? `${terminalJson({ runs, dry_run: dryRun })}\n` : `${said}\n`);
    return exitCode.ok;
  });
}

const withoutRoles = `The roles attractor_client and attractor_worker do not exist, and this login may not make them. Without them, only the owner of
the database can use it. To separate clients and workers: create role attractor_client; create role attractor_worker; and migrate again.
`;
