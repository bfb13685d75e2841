import { Option } from 'commander';
import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { printableLines } from '../../diagnostic/printable.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import {
  addExtensionOptions,
  compileOptionsOf,
  type ExtensionArguments,
  extensionsForEach,
} from '../extensions.js';
import { type Io, usesColor } from '../io.js';
import { readSource } from '../read-source.js';
import { UsageError } from '../usage-error.js';

interface LintOptions extends ExtensionArguments {
  readonly format: 'pretty' | 'json';
}

/** `attractor lint FILE…`: all findings about the files; 1 where one is an error, 2 where a file cannot be read. */
export const lintCommand: CliCommand<LintOptions> = {
  name: 'lint',
  summary: 'Check pipelines and say what is wrong with them, where, and what to do',
  example: 'attractor lint pipeline.dot',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<file...>', 'pipelines to check; - reads standard input')
        .addOption(
          new Option('--format <format>', 'how to print the findings')
            .choices(['pretty', 'json'])
            .default('pretty'),
        ),
    ),
  async run(files, options, io) {
    const { compile } = await import('../../compile.js');
    const extensionsOf = extensionsForEach(options, io);
    const checked: FileDiagnostics[] = [];
    let hasUnreadable = false;
    for (const file of files) {
      try {
        const { name, text } = await readSource(file, io);
        checked.push(compile(text, { name, ...compileOptionsOf(await extensionsOf(file)) }));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.stderr.write(`attractor: ${printableLines(error.message)}\n`);
        hasUnreadable = true;
      }
    }
    await print(checked, options, io);
    if (hasUnreadable) return exitCode.usage;
    const hasErrors = checked.some(({ diagnostics }) =>
      diagnostics.some(({ severity }) => severity === 'error'),
    );
    return hasErrors ? exitCode.failure : exitCode.ok;
  },
};

async function print(checked: readonly FileDiagnostics[], options: LintOptions, io: Io): Promise<void> {
  if (options.format === 'json') {
    const { renderJson } = await import('../../diagnostic/render-json.js');
    io.stdout.write(renderJson(checked));
    return;
  }
  if (checked.length === 0) return;
  const { countDiagnostics } = await import('../../diagnostic/diagnostic.js');
  const { renderPretty } = await import('../../diagnostic/render-pretty.js');
  const { renderSummary } = await import('../../diagnostic/render-summary.js');
  const color = usesColor(io, io.stdout);
  const { columns } = io.stdout;
  const counts = countDiagnostics(checked.flatMap(({ diagnostics }) => diagnostics));
  io.stdout.write(renderPretty(checked, { color, ...(columns !== undefined && { width: columns }) }));
  io.stdout.write(`${renderSummary(counts, checked.length, color)}\n`);
}
