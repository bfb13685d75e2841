import { Option } from 'commander';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import type { MigrateOptions } from '../migrate-files.js';

/**
 * `attractor migrate FILE…`: pipelines of other tools as DOT of this language. Status 1 if lint finds errors in the
 * result, 2 if a file cannot be read, is of no known dialect, or cannot be written; then nothing is written for it.
 */
export const migrateCommand: CliCommand<MigrateOptions> = {
  name: 'migrate',
  summary: 'Turn pipelines of other tools into pipelines of this language',
  example: 'attractor migrate --write "flows/**/*.dot"',
  configure: (command) =>
    command
      .argument('<file...>', 'pipelines, directories or patterns; - reads standard input')
      .option(
        '--from <dialect>',
        'dialect of the files, if it is not recognized: fabro, kilroy, rye, hive, …',
      )
      .addOption(
        new Option('--format <format>', 'output format').choices(['pretty', 'json']).default('pretty'),
      )
      .option('--write', 'change DOT files in place, and write FILE.dot next to a file of another format'),
  async run(args, options, io) {
    if (options.write && args.includes('-'))
      throw new UsageError('--write changes files; it cannot be combined with -');
    const { migrateFiles } = await import('../migrate-files.js');
    return migrateFiles(args, options, io);
  },
};
