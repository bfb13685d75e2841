import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { runName } from '../run-name.js';

interface StatusArguments extends DatabaseArguments {
  readonly json?: true;
}

/** `attractor status RUN`: what a run is doing now, seen from outside (DESIGN §5). */
export const statusCommand: CliCommand<StatusArguments> = {
  name: 'status',
  summary: 'Show what a run is doing',
  example: 'attractor status',
  configure: (command) =>
    addDatabaseOption(command)
      .argument('[run]', 'a run id, or a path to a run directory; the newest run by default')
      .option('--json', 'print it as JSON'),
  run: ([name], options, io) =>
    withRun(name, options, io, ({ directory }) => showStatus(directory, options, io)),
};

async function showStatus(directory: string, options: StatusArguments, io: Io): Promise<number> {
  const { overviewOf } = await import('../../view/run-overview.js');
  const { questionsOf } = await import('../../setup/questions-of.js');
  const now = Date.now();
  const overview = overviewOf(directory, now);
  const questions = questionsOf(overview);
  if (options.json) {
    const { answerable } = await import('../answerable.js');
    io.stdout.write(`${terminalJson(answerable(overview, questions), 2)}\n`);
  } else {
    const { renderStatus } = await import('../output/render-status.js');
    const nameOf = (named: string): string => runName(named, io.cwd());
    const show = { run: nameOf(directory), nameOf, questions, color: usesColor(io, io.stdout), now };
    io.stdout.write(renderStatus(overview, show));
  }
  // What is known is shown all the same.
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  readPipeline(directory);
  return exitCode.ok;
}
