import { hostname } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../graph/coerce.js';
import { addDatabaseOption, type DatabaseArguments, databaseOfWorker } from '../cluster/database.js';
import { type CliCommand, parseCount } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';

interface WorkerArguments extends DatabaseArguments {
  readonly home?: string;
  readonly files?: string;
  readonly runs: number;
  readonly stages: number;
  readonly labels?: readonly string[];
  readonly name?: string;
  readonly grace: number;
  readonly allowTools?: true;
}

/** `attractor worker`: executes runs of a cluster until a signal stops it (SEMANTICS 140, 141). */
export const workerCommand: CliCommand<WorkerArguments> = {
  name: 'worker',
  summary: 'Execute runs that were submitted to a database, together with other workers',
  example: 'attractor worker --database postgresql://attractor@db/attractor --runs 50',
  configure: (command) =>
    addDatabaseOption(command)
      .option('--home <dir>', 'directory for the run directories; .attractor/runs by default')
      .option(
        '--files <dir>',
        'directory that all workers share, for the files of runs; the database by default',
      )
      .option('--runs <n>', 'maximum number of runs at a time, waiting ones included', parseCount, 200)
      .option(
        '--stages <n>',
        'maximum number of stages at a time that runs with --spread give to other workers',
        parseCount,
        20,
      )
      .option('--labels <names>', 'what this machine has, such as gpu,linux', parseLabels)
      .option('--allow-tools', 'let pipelines of tenants run commands and coding agents on this machine')
      .option(
        '--name <name>',
        'name of this machine, whose workers share its files; the host name by default',
        parseName,
      )
      .addOption(
        new Option('--grace <duration>', 'time for running stages to end after a signal to stop')
          .argParser(parseGrace)
          .default(30_000, '30s'),
      ),
  async run(_names, options, io) {
    const here = { cwd: () => io.cwd(), env: { ...io.env }, stderr: io.stderr };
    const database = databaseOfWorker(options, io);
    const { checkWorkerTables } = await import('../../cluster/dbos/check-database.js');
    await checkWorkerTables(database);
    const { checkLabels } = await import('../../cluster/placement.js');
    const { startWorker } = await import('../../cluster/dbos/worker.js');
    const { prepareHere } = await import('../../cluster/prepare-here.js');
    const { runsHome } = await import('../../setup/find-run.js');
    const { redactorOf } = await import('../../setup/keys.js');
    const allowTools = options.allowTools === true;
    const say = (message: string): void => {
      io.stderr.write(`${new Date().toISOString()} ${redactorOf(here).text(message)}\n`);
    };
    const { home, files, runs: maxRuns, stages: maxStages, labels = [], name = hostname(), grace } = options;
    checkLabels(labels);
    const signalled = untilSignal(io);
    const worker = await startWorker({
      database,
      home: home === undefined ? runsHome(io.cwd()) : path.resolve(io.cwd(), home),
      files: files === undefined ? undefined : path.resolve(io.cwd(), files),
      maxRuns,
      maxStages,
      labels,
      name,
      prepare: prepareHere({ ...here, allowTools }, say),
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

function parseName(text: string): string {
  if (!/^[\w.-]+$/.test(text))
    throw new InvalidArgumentError('Expected letters, digits, ".", "_" and "-", such as w1.');
  return text;
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
