import { Option } from 'commander';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { addExtensionOptions } from '../extension-options.js';
import type { TestOptions } from '../testing/test-files.js';

/** `attractor test [FILE|DIR…]`: plays the cases of pipelines; 1 where one fails, 2 where a file cannot be used. */
export const testCommand: CliCommand<TestOptions> = {
  name: 'test',
  summary: 'Test pipelines in the simulator, by the cases in their .test.yaml files',
  example: 'attractor test flows/ --filter "tests red"',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument(
          '[tests...]',
          'test files, their pipelines, directories or patterns; by default this directory',
        )
        .option('--filter <text>', 'play only cases with this text in their names')
        .addOption(
          new Option('--format <format>', 'output format')
            .choices(['pretty', 'tap', 'junit', 'json'])
            .default('pretty'),
        )
        .addOption(
          new Option(
            '--coverage <format>',
            'show what the cases cover: as a table after the results, or as LCOV on standard output',
          ).choices(['table', 'lcov']),
        )
        .option('--provider <name>', 'default provider of LLM stages, for expected costs')
        .option('--model <name>', 'default model of LLM stages, for expected costs')
        .option('--watch', 'play again whenever a file changes, until Ctrl-C'),
    ),
  async run(args, options, io) {
    const named = args.length === 0 ? ['.'] : args;
    if (named.includes('-'))
      throw new UsageError('tests are in files, next to their pipelines: name a file instead of -');
    if (options.coverage === 'lcov' && options.format !== 'pretty')
      throw new UsageError('--coverage lcov takes standard output; it cannot be combined with --format');
    if (options.coverage !== undefined && (options.format === 'tap' || options.format === 'junit'))
      throw new UsageError(
        `--format ${options.format} has no place for coverage; use --format json, or none`,
      );
    if (options.watch) {
      if (options.format !== 'pretty' || options.coverage === 'lcov')
        throw new UsageError(
          '--watch shows results interactively; it cannot be combined with --format or --coverage lcov',
        );
      const { watchTests } = await import('../testing/watch-tests.js');
      return watchTests(named, options, io);
    }
    const { testFiles } = await import('../testing/test-files.js');
    return testFiles(named, options, io);
  },
};
