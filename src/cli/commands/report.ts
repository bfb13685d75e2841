import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { printableLines } from '../../diagnostic/printable.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { compileOptionsOf, type ExtensionArguments, extensionsOfCall } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { directoryWithFiles, withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import { leftOutPlugins } from '../refuse-unnamed-plugins.js';

interface ReportArguments extends ExtensionArguments, DatabaseArguments {
  readonly output?: string;
}

/** `attractor report RUN -o report.html`: what happened in a run, as one page that opens offline (§9.6). */
export const reportCommand: CliCommand<ReportArguments> = {
  name: 'report',
  summary: 'Write a report of a run as a single HTML page',
  example: 'attractor report -o report.html',
  configure: (command) =>
    addExtensionOptions(
      addDatabaseOption(command)
        .argument('[run]', 'a run id, or a path to a run directory; the newest run by default')
        .option('-o, --output <file>', 'file to write; standard output by default'),
    ),
  run: ([name], options, io) => {
    const { output = '-' } = options;
    if (output === '-' && io.stdout.isTTY === true) {
      throw new UsageError(
        'a report is an HTML page and cannot be shown in a terminal: name a file with -o, or redirect the output',
      );
    }
    return withRun(name, options, io, async (run) => {
      const page = await reportOn(await directoryWithFiles(run, io), options, io);
      if (output === '-') io.stdout.write(page);
      else write(output, path.resolve(io.cwd(), output), page);
      return exitCode.ok;
    });
  },
};

async function reportOn(directory: string, options: ReportArguments, io: Io): Promise<string> {
  const notice = await leftOutPlugins(directory, options);
  if (notice !== undefined) io.stderr.write(notice);
  const { handlerTypes, transforms = [] } = compileOptionsOf(await extensionsOfCall(options, io));
  const { renderReport } = await import('../../report/render-report.js');
  return renderReport(directory, Date.now(), { handlerTypes, transforms });
}

function write(name: string, file: string, page: string): void {
  try {
    writeFileSync(file, page);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = isMissing ? 'its directory does not exist' : describeSystemError(error);
    throw new UsageError(printableLines(`cannot write ${name}: ${what}`));
  }
}
