import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { printableLines } from '../../diagnostic/printable.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { namedFiles } from '../named-files.js';
import { reportDiagnostics } from '../output/report-diagnostics.js';
import { readSource } from '../read-source.js';

interface FmtOptions {
  readonly check?: true;
}

/**
 * `attractor fmt FILE…`: one canonical form, in place or, for `-`, to standard output (SEMANTICS 98).
 * Status 1 if a file has syntax errors, or with `--check` would change; 2 if one cannot be read or written.
 */
export const fmtCommand: CliCommand<FmtOptions> = {
  name: 'fmt',
  summary: 'Format pipelines canonically; comments stay, and Graphviz reads the result',
  example: 'attractor fmt pipeline.dot "flows/**/*.dot"',
  configure: (command) =>
    command
      .argument(
        '<file...>',
        'pipelines, directories or patterns; - formats standard input to standard output',
      )
      .option('--check', 'write nothing; name the files that would change, and fail if there are any'),
  async run(args, options, io) {
    const { files, problems } = await namedFiles(args, io);
    for (const problem of problems) tell(problem, io);
    const results: FileResult[] = [];
    for (const file of files) results.push(await formatFile(file, options, io));
    const refused = results.flatMap(({ refused }) => refused ?? []);
    if (refused.length > 0) await reportDiagnostics(refused, io);
    const changed = results.filter(({ kind }) => kind === 'changed').length;
    if (options.check && changed > 0) {
      const which = changed === 1 ? 'this file is' : `these ${changed} files are`;
      tell(`${which} not formatted; \`attractor fmt\` does that`, io);
    }
    if (problems.length > 0 || results.some(({ kind }) => kind === 'unusable')) return exitCode.usage;
    return refused.length > 0 || (options.check && changed > 0) ? exitCode.failure : exitCode.ok;
  },
};

interface FileResult {
  /** `changed` with `--check` too, where it only would. */
  readonly kind: 'unchanged' | 'changed' | 'refused' | 'unusable';
  readonly refused?: FileDiagnostics;
}

async function formatFile(file: string, options: FmtOptions, io: Io): Promise<FileResult> {
  const { format } = await import('../../format/format.js');
  try {
    const { name, text: before, hasByteOrderMark } = await readSource(file, io);
    const { text, diagnostics } = format(before);
    if (text === undefined) {
      const { SourceText } = await import('../../diagnostic/source.js');
      return { kind: 'refused', refused: { source: new SourceText(name, before), diagnostics } };
    }
    const kind = text === before && !hasByteOrderMark ? 'unchanged' : 'changed';
    if (file === '-' && !options.check) io.stdout.write(text);
    else if (kind === 'changed') await putOrTell({ file, name, text }, options, io);
    return { kind };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(error.message, io);
    return { kind: 'unusable' };
  }
}

async function putOrTell(
  { file, name, text }: { readonly file: string; readonly name: string; readonly text: string },
  { check }: FmtOptions,
  io: Io,
): Promise<void> {
  if (check) {
    io.stdout.write(`${printableLines(name)}\n`);
    return;
  }
  const { replaceFile } = await import('../../setup/replace-file.js');
  replaceFile(file, io.cwd(), text);
  io.stderr.write(`formatted ${printableLines(name)}\n`);
}

function tell(message: string, io: Io): void {
  io.stderr.write(`attractor: ${printableLines(message)}\n`);
}
