import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../graph/coerce.js';
import { addDatabaseOption, type DatabaseArguments, databaseOf } from '../cluster/database.js';
import { type CliCommand, parseCount } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';

interface WorkerArguments extends DatabaseArguments {
  readonly home?: string;
  readonly runs: number;
  readonly labels?: readonly string[];
  readonly grace: number;
}

/** `attractor worker`: executes runs of a cluster until a signal stops it (SEMANTICS 140, 141). */
export const workerCommand: CliCommand<WorkerArguments> = {
  name: 'worker',
  summary: 'Execute runs that were submitted to a database, together with other workers',
  example: 'attractor worker --database postgresql://attractor@db/attractor --runs 50',
  configure: (command) =>
    addDatabaseOption(command)
      .option('--home <dir>', 'directory of the runs, which all workers share; .attractor/runs by default')
      .option('--runs <n>', 'maximum number of runs at a time, waiting ones included', parseCount, 200)
      .option('--labels <names>', 'what this machine has, such as gpu,linux', parseLabels)
      .option(
        '--grace <duration>',
        'time for running stages to end after a signal to stop',
        parseGrace,
        30_000,
      ),
  async run(_names, options, io) {
    const database = databaseOf(options, io);
    const { checkDatabase } = await import('../../cluster/dbos/check-database.js');
    await checkDatabase(database);
    const { startWorker } = await import('../../cluster/dbos/worker.js');
    const { prepareHere } = await import('../../cluster/prepare-here.js');
    const { runsHome } = await import('../../setup/find-run.js');
    const { redactorOf } = await import('../../setup/keys.js');
    const say = (message: string): void => {
      io.stderr.write(`${new Date().toISOString()} ${redactorOf(io).text(message)}\n`);
    };
    const { home, runs: maxRuns, labels = [], grace } = options;
    const signalled = untilSignal(io);
    const worker = await startWorker({
      database,
      home: home === undefined ? runsHome(io.cwd()) : path.resolve(io.cwd(), home),
      maxRuns,
      labels,
      prepare: prepareHere(io, say),
      say,
    });
    say(`worker ${worker.id} is ready for ${maxRuns} runs`);
    const end = await Promise.race([signalled, worker.lost.then(() => 'lost' as const)]);
    if (end === 'lost') {
      say('the other workers have taken this one for dead, and its runs continue there; start it again');
      await worker.stop();
      return exitCode.failure;
    }
    say('leaving: running stages may end, then other workers continue');
    await worker.leave(grace);
    return exitCode.ok;
  },
};

function parseLabels(text: string): readonly string[] {
  const labels = text.split(',').map((label) => label.trim());
  if (labels.includes('')) throw new InvalidArgumentError('Expected names with commas between them.');
  return labels;
}

function parseGrace(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('Expected a duration, such as 30s or 10m.');
  return duration.milliseconds;
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function untilSignal(io: Io): Promise<'signal'> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      io.on(signal, () => {
        if (isStopping) process.exit(exitCode.interrupted);
        isStopping = true;
        resolve('signal');
      });
  });
}
