import { Option } from 'commander';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { type CliCommand, parseCount } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import type { VerdictOptions } from '../output/print-verdicts.js';
import { readSource } from '../read-source.js';

interface CheckOptions extends ExtensionArguments, VerdictOptions {
  readonly properties?: string;
  readonly maxStates?: number;
}

/** `attractor check FILE`: whether every run has the properties of the pipeline, or a run that has not (SEMANTICS 144). */
export const checkCommand: CliCommand<CheckOptions> = {
  name: 'check',
  summary: 'Prove that every run of a pipeline keeps its properties, or show a run that breaks one',
  example: 'attractor check release.dot --output-dir broken',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<file>', 'the pipeline; - reads standard input')
        .addOption(
          new Option('--format <format>', 'output format')
            .choices(['pretty', 'json', 'sarif', 'junit'])
            .default('pretty'),
        )
        .option(
          '--properties <file>',
          'file with more properties, one NAME: SENTENCE per line; by default FILE with the extension .check, if there is one',
        )
        .option('--output-dir <dir>', 'directory for the script and the picture of each counterexample')
        .option('--max-states <n>', 'number of states after which the search gives up', parseCount),
    ),
  async run([file = '-'], options, io) {
    const { name, text } = await readSource(file, io);
    const { compileOptionsOf, extensionsFor } = await import('../../setup/extensions.js');
    const { propertiesBeside } = await import('../read-properties.js');
    const { compile } = await import('../../compiler/compile.js');
    const { pipelineFiles } = await import('../../run/pipeline-files.js');
    const extensions = await extensionsFor(file, options, io);
    const beside = await propertiesBeside(file, options.properties, io);
    const files = pipelineFiles(file === '-' ? undefined : file, { directory: io.cwd() });
    const known = compileOptionsOf(extensions);
    const properties = [...known.properties, ...beside];
    const { program, ...compilation } = compile(text, { name, ...known, properties, files });
    if (program === undefined) {
      const { reportInvalid } = await import('../report-refused.js');
      await reportInvalid(compilation.source, compilation.diagnostics, {}, io);
      return exitCode.usage;
    }
    if (program.monitors.length === 0)
      throw new UsageError(
        `${name} has no properties; write one into the pipeline, such as graph ["check.reviewed"="publish only after approve = yes"]`,
      );
    const { checkProperties } = await import('../../check/check-properties.js');
    const { printVerdicts } = await import('../output/print-verdicts.js');
    const checked = { ...compilation, program };
    const verdicts = await checkProperties(checked, { mostStates: options.maxStates });
    await printVerdicts({ file, compilation: checked, verdicts }, options, io);
    return verdicts.every(({ kind }) => kind === 'holds') ? exitCode.ok : exitCode.failure;
  },
};
