import { Option } from 'commander';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import type { TestOptions } from '../testing/test-files.js';

/** `attractor test [FILE|DIR…]`: plays the cases of pipelines; 1 where one fails, 2 where a file cannot be used. */
export const testCommand: CliCommand<TestOptions> = {
  name: 'test',
  summary: 'Test pipelines in the simulator with the cases of their .test.yaml files',
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
        .option(
          '--generate',
          'write cases that cover everything that can be reached, and keep your own cases',
        )
        .option(
          '--mutate',
          'make one small change to a pipeline at a time, and list the changes that no case notices',
        )
        .option('--from-run <run>', 'add a case that repeats this run')
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
    const written = await writing(named, args, options, io);
    if (written !== undefined) return written;
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

/** Calls that write cases, or try changes, instead of playing; undefined for another one. */
async function writing(
  named: readonly string[],
  args: readonly string[],
  options: TestOptions,
  io: Io,
): Promise<number | undefined> {
  const { generate, mutate, fromRun, watch, coverage } = options;
  const chosen = [
    generate && '--generate',
    mutate && '--mutate',
    fromRun === undefined ? undefined : '--from-run',
    watch && '--watch',
    coverage && '--coverage',
  ].filter((one) => one !== undefined);
  if (chosen.length > 1 && (generate || mutate || fromRun !== undefined))
    throw new UsageError(`${chosen.join(' and ')} cannot be combined`);
  if ((generate || mutate || fromRun !== undefined) && options.format !== 'pretty')
    throw new UsageError(`${chosen.join('')} prints for people; it cannot be combined with --format`);
  if (generate) {
    const { generateTests } = await import('../testing/generate-tests.js');
    return generateTests(named, options, io);
  }
  if (mutate) {
    const { mutateTests } = await import('../testing/mutate-tests.js');
    return mutateTests(named, options, io);
  }
  if (fromRun === undefined) return undefined;
  const { caseFromRun } = await import('../testing/case-from-run.js');
  return caseFromRun(fromRun, args, options, io);
}
