import { InvalidArgumentError, Option } from 'commander';
import { nearestName } from '../../diagnostic/did-you-mean.js';
import type { RuleSetting } from '../../lint/rule-settings.js';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import { type LintFormat, lintFormats } from '../output/lint-formats.js';

export interface LintOptions extends ExtensionArguments {
  readonly format: LintFormat;
  readonly maxWarnings?: number;
  readonly watch?: true;
  readonly fix?: true;
  readonly verbose?: true;
  readonly explainFinding?: number;
}

/** `attractor lint FILE…`: all findings about the files; 1 where one is an error, 2 where a file cannot be read. */
export const lintCommand: CliCommand<LintOptions> = {
  name: 'lint',
  summary: 'Check pipelines: each problem, its position and its remedy',
  example: 'attractor lint pipeline.dot "flows/**/*.dot"',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<file...>', 'pipelines, directories or patterns; - reads standard input')
        .addOption(new Option('--format <format>', 'output format').choices(lintFormats).default('pretty'))
        .option('--max-warnings <n>', 'fail if there are more warnings than this', parseCount)
        .option(
          '--rule <rule=severity>',
          'set a rule to off, info, warning or error; may be repeated',
          addRule,
        )
        .option('--fix', 'apply the safe fixes in place; with -, print the fixed text')
        .option('--verbose', 'show every finding in full, and hints that hold for most pipelines')
        .option(
          '--explain-finding <n>',
          'print the script of a run in which this finding happens, by its number in lint --verbose',
          parseCount,
        )
        .option('--watch', 'check again whenever a file changes, until Ctrl-C'),
    ),
  async run(args, options, io) {
    const { explainFinding } = options;
    if (explainFinding !== undefined) {
      const { printWitness } = await import('../output/print-witness.js');
      return printWitness(args, explainFinding, options, io);
    }
    if (options.watch) {
      if (options.format !== 'pretty' || options.fix || args.includes('-')) {
        throw new UsageError(
          '--watch shows findings of files interactively; it cannot be combined with --format, --fix or -',
        );
      }
      const { watchFindings } = await import('../watch-files.js');
      return watchFindings(args, options, io);
    }
    const { FileChecker, tellProblems } = await import('../check-files.js');
    const { printFindings } = await import('../output/print-findings.js');
    const { lintStatus } = await import('../lint-status.js');
    const check = options.fix
      ? (await import('../fix-files.js')).fixFiles(args, options, io)
      : new FileChecker(options, io).check(args);
    const { summarizeForeign } = await import('../output/summarized-findings.js');
    const files = options.verbose ? await check : summarizeForeign(await check, options.format);
    tellProblems(files, io);
    // Standard output has the fixed text where that was asked for.
    const isTextPrinted = options.fix && args.includes('-');
    await printFindings(files, options.format, options, isTextPrinted ? onStandardError(io) : io);
    return lintStatus(files, options, io);
  },
};

function onStandardError(io: Io): Io {
  return {
    stdin: io.stdin,
    stdout: io.stderr,
    stderr: io.stderr,
    env: io.env,
    cwd: () => io.cwd(),
    on: (event, listener) => io.on(event, listener),
    off: (event, listener) => io.off(event, listener),
  };
}

function parseCount(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError('Expected a number, such as 0.');
  return Number(text);
}

const severities: readonly RuleSetting[] = ['off', 'info', 'warning', 'error'];

function addRule(
  text: string,
  before: ReadonlyMap<string, RuleSetting> | undefined,
): ReadonlyMap<string, RuleSetting> {
  const [rule = '', word, ...rest] = text.split('=');
  const severity = severities.find((known) => known === word);
  if (rule !== '' && severity !== undefined && rest.length === 0) {
    return new Map([...(before ?? []), [rule, severity]]);
  }
  const nearest = nearestSeverity(word ?? '');
  const hint = nearest === undefined ? '' : ` Did you mean ${rule}=${nearest}?`;
  throw new InvalidArgumentError(
    `Expected RULE=off, info, warning or error, as in reachability=warning.${hint}`,
  );
}

function nearestSeverity(word: string): string | undefined {
  if (word === '') return undefined;
  return severities.find((severity) => severity.startsWith(word)) ?? nearestName(word, severities);
}
