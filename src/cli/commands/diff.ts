import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import type { ExtensionArguments } from '../../setup/extensions.js';
import type { CliCommand } from '../command.js';
import type { VersionDifference } from '../diff/compare-versions.js';
import type { DifferenceEntry, DifferenceSection } from '../diff/difference-sections.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { type Io, usesColor } from '../io.js';

interface DiffArguments extends ExtensionArguments {
  readonly exitCode?: true;
  readonly format: 'pretty' | 'json' | 'markdown';
  readonly svg?: string;
  readonly outputDir?: string;
}

/** `attractor diff OLD NEW`: what has changed between two versions of a pipeline, by meaning (SEMANTICS 146). */
export const diffCommand: CliCommand<DiffArguments> = {
  name: 'diff',
  summary: 'Compare two versions of a pipeline by meaning: stages, edges, prompts, runs and costs',
  example: 'attractor diff HEAD~1:release.dot release.dot',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<old>', 'the old version: a file, REVISION:FILE of git, or - for standard input')
        .argument('<new>', 'the new version, likewise')
        .addOption(
          new Option('--format <format>', 'output format')
            .choices(['pretty', 'json', 'markdown'])
            .default('pretty'),
        )
        .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
        .addOption(
          new Option('--markdown', 'the same as --format markdown, for a pull request').implies({
            format: 'markdown',
          }),
        )
        .option('--exit-code', 'exit with 1 if the versions differ')
        .option('--svg <file>', 'draw both versions in one picture')
        .option('--output-dir <dir>', 'write the script of each change of behaviour there'),
    ),
  async run([oldName = '-', newName = '-'], options, io) {
    const { compareVersions } = await import('../diff/compare-versions.js');
    const found = await compareVersions([oldName, newName], options, io);
    if ('unreadable' in found) {
      const { reportDiagnostics } = await import('../output/report-diagnostics.js');
      const { source, diagnostics } = found.unreadable.compilation;
      await reportDiagnostics([{ source, diagnostics }], io);
      return exitCode.usage;
    }
    const { differenceSections } = await import('../diff/difference-sections.js');
    const sections = differenceSections(found);
    if (options.svg !== undefined) await writePicture(found, options.svg, io);
    const written =
      options.outputDir === undefined ? new Map() : await writeScripts(sections, options.outputDir, io);
    await print(found, sections, written, options, io);
    return options.exitCode === true && !found.isSame ? exitCode.failure : exitCode.ok;
  },
};

/** Files of scripts by their changes of behaviour. */
type WrittenScripts = ReadonlyMap<DifferenceEntry['behaviour'], string>;

async function print(
  found: VersionDifference,
  sections: readonly DifferenceSection[],
  written: WrittenScripts,
  { format }: DiffArguments,
  io: Io,
): Promise<void> {
  const { before, after, isSame, behaviour } = found;
  const names = [before.version.name, after.version.name] as const;
  if (format === 'json') {
    const { differenceJson } = await import('../diff/difference-json.js');
    const { terminalJson } = await import('../output/terminal-json.js');
    io.stdout.write(`${terminalJson(differenceJson(found), 2)}\n`);
    return;
  }
  if (format === 'markdown') {
    const { renderMarkdown } = await import('../diff/render-markdown.js');
    io.stdout.write(renderMarkdown(`${names[0]} → ${names[1]}`, sections));
    return;
  }
  if (isSame) {
    io.stdout.write('no difference in meaning\n');
    return;
  }
  const { Chalk } = await import('chalk');
  const { renderDifference } = await import('../diff/render-difference.js');
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  const played = ({ mark, behaviour: shown }: DifferenceEntry): string | undefined => {
    const script = written.get(shown);
    const version = mark === '+' ? names[1] : names[0];
    return script && `attractor run ${version} --simulate --script ${script}`;
  };
  io.stdout.write(renderDifference(sections, played, chalk));
  const undecided = behaviour?.undecided ?? 0;
  if (undecided > 0)
    io.stdout.write(
      chalk.dim(`${undecided} more differences between simulations could not be proved and are left out\n`),
    );
}

async function writePicture(
  { before, after, difference }: VersionDifference,
  file: string,
  io: Io,
): Promise<void> {
  const { comparedPicture } = await import('../../diff/picture.js');
  const { renderSvg } = await import('../../render/svg.js');
  const picture = comparedPicture(before.compared.graph, after.compared.graph, difference);
  const { handlerTypes } = after.compared;
  await write(
    file,
    await renderSvg(picture.graph, { theme: 'auto', handlerTypes, changes: picture.changes }),
    io,
  );
}

async function writeScripts(
  sections: readonly DifferenceSection[],
  directory: string,
  io: Io,
): Promise<WrittenScripts> {
  const { makeDirectories } = await import('../../handlers/make-directories.js');
  const { scriptJson } = await import('../diff/script-json.js');
  const { locateFile } = await import('../../setup/locate-file.js');
  const shown = sections.flatMap(({ entries }) => entries.flatMap(({ behaviour }) => behaviour ?? []));
  const written = new Map<DifferenceEntry['behaviour'], string>();
  if (shown.length > 0) makeDirectories(locateFile(directory, io.cwd()));
  for (const [place, behaviour] of shown.entries()) {
    const file = path.join(directory, `behaviour-${place + 1}.script.json`);
    await write(file, `${JSON.stringify(scriptJson(behaviour.script), undefined, 2)}\n`, io);
    written.set(behaviour, file);
  }
  return written;
}

async function write(file: string, text: string, io: Io): Promise<void> {
  const { locateFile } = await import('../../setup/locate-file.js');
  try {
    writeFileSync(locateFile(file, io.cwd()), text);
  } catch (error) {
    const { describeSystemError } = await import('../../run-directory/run-error.js');
    const { UsageError } = await import('../../setup/usage-error.js');
    throw new UsageError(`cannot write to ${file}: ${describeSystemError(error)}`);
  }
}
