import { Argument } from 'commander';
import { addDatabaseOption, type DatabaseArguments, databaseOf, withCluster } from '../cluster/database.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { terminalJson } from '../output/terminal-json.js';

interface ClusterArguments extends DatabaseArguments {
  readonly json?: true;
}

const actions = ['migrate', 'status', 'workers'] as const;

/** `attractor cluster`: prepares the database of a cluster, and shows what is in it. */
export const clusterCommand: CliCommand<ClusterArguments> = {
  name: 'cluster',
  summary: 'Prepare the database of a cluster, or show its runs and workers',
  example: 'attractor cluster status --database postgresql://attractor@db/attractor',
  configure: (command) =>
    addDatabaseOption(
      command
        .addArgument(
          new Argument(
            '<action>',
            'migrate: make the tables; status: show the newest runs; workers: show the workers',
          ).choices(actions),
        )
        .option('--json', 'print it as JSON'),
    ),
  async run([action], options, io) {
    const database = databaseOf(options, io);
    const { renderRuns, renderWorkers } = await import('../cluster/render-cluster.js');
    const show = (name: string, rows: readonly object[], text: string): number => {
      io.stdout.write(options.json ? `${terminalJson({ [name]: rows }, 2)}\n` : text);
      return exitCode.ok;
    };
    switch (action as (typeof actions)[number]) {
      case 'migrate': {
        const { checkDatabase } = await import('../../cluster/dbos/check-database.js');
        await checkDatabase(database);
        const { migrateCluster } = await import('../../cluster/dbos/cluster.js');
        await migrateCluster(database);
        io.stdout.write('The database is ready for workers.\n');
        return exitCode.ok;
      }
      case 'status':
        return withCluster(database, async (cluster) => {
          const runs = await cluster.list(shownRuns);
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
