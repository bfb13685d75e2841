import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { usesColor } from '../io.js';
import { findRunOrNewest } from '../newest-run.js';
import { runName } from '../run-name.js';

interface StatusArguments {
  readonly json?: true;
}

/** `attractor status RUN`: what a run is doing now, seen from outside (DESIGN §5). */
export const statusCommand: CliCommand<StatusArguments> = {
  name: 'status',
  summary: 'Show what a run is doing, whatever process executes it',
  example: 'attractor status',
  configure: (command) =>
    command
      .argument('[run]', 'a run id, or a path to a run directory; the newest run by default')
      .option('--json', 'print it as JSON'),
  async run([name], options, io) {
    const { overviewOf } = await import('../../engine/runtime/run-overview.js');
    const directory = findRunOrNewest(name, io);
    const now = Date.now();
    const overview = overviewOf(directory, now);
    if (options.json) {
      io.stdout.write(`${JSON.stringify(overview, null, 2)}\n`);
    } else {
      const { renderStatus } = await import('../render-status.js');
      const run = runName(directory, io.cwd());
      io.stdout.write(renderStatus(overview, { run, color: usesColor(io, io.stdout), now }));
    }
    return exitCode.ok;
  },
};
