import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';
import { RunError } from '../../run-directory/run-error.js';
import { compileOptionsOf, type ExtensionArguments, extensionsOfCall } from '../../setup/extensions.js';
import { isOver } from '../../view/run-status.js';
import { addDatabaseOption, type DatabaseArguments, databaseOf, withCluster } from '../cluster/database.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { terminalJson } from '../output/terminal-json.js';
import { runName } from '../run-name.js';

interface PullArguments extends ExtensionArguments, DatabaseArguments {
  readonly output?: string;
  readonly files?: string;
  readonly json?: true;
}

/** `attractor pull RUN`: makes the run directory of a run in a cluster (SEMANTICS 142). */
export const pullCommand: CliCommand<PullArguments> = {
  name: 'pull',
  summary: 'Make the run directory of a run that was submitted to a database',
  example: 'attractor pull 20260131-120000-release-k3x7qa --database postgresql://attractor@db/attractor',
  configure: (command) =>
    addExtensionOptions(addDatabaseOption(command))
      .argument('<run>', 'the id of the run')
      .option('--output <dir>', 'directory of the run; by default its id below .attractor/runs')
      .option('--files <dir>', 'directory with the files of runs, if the workers were started with one')
      .option('--json', 'print what was done as JSON'),
  async run([runId = ''], options, io) {
    const { pullRun } = await import('../../cluster/pull-run.js');
    const { adviceOnMissing } = await import('../cluster/missing-files.js');
    const { filesIn } = await import('../../cluster/files/shared-directory.js');
    const { runsHome } = await import('../../setup/find-run.js');
    const { output, files } = options;
    const directory =
      output === undefined ? path.join(runsHome(io.cwd()), runId) : path.resolve(io.cwd(), output);
    return withCluster(databaseOf(options, io), async (cluster) => {
      const run = await cluster.find(runId);
      if (run === undefined)
        throw new RunError('run_not_found', `there is no run "${runId}" in the database`);
      const shared =
        files === undefined ? run.files : filesIn(path.resolve(io.cwd(), files), runId, run.files);
      const missing = await pullRun(run, directory, {
        files: shared,
        compileOptions: compileOptionsOf(await extensionsOfCall(options, io)),
        onWithoutViews: () =>
          void io.stderr.write(
            'attractor: a pipeline of the run does not compile here, so the status of its stages is left out; name its plugins with --plugin\n',
          ),
      });
      const { status, seq } = run.history.view;
      if (options.json) {
        const report = { run_id: runId, run_dir: directory, status, seq, missing };
        io.stdout.write(`${terminalJson(report, 2)}\n`);
        return exitCode.ok;
      }
      for (const { path: file, reason } of missing)
        io.stderr.write(`attractor: ${printable(`${file} is missing: ${reason}`)}\n`);
      const advice = files === undefined ? adviceOnMissing(missing, run.history) : undefined;
      if (advice !== undefined) io.stderr.write(`  ${advice}\n`);
      io.stdout.write(`${printable(runName(directory, io.cwd()))}\n`);
      if (!isOver(status))
        io.stderr.write(`  a copy after event ${seq}; the run itself continues in the cluster\n`);
      return exitCode.ok;
    });
  },
};
