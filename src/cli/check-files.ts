import { type Compilation, type CompileOptions, compile } from '../compiler/compile.js';
import { listFirst } from '../diagnostic/list-first.js';
import { printableLines } from '../diagnostic/printable.js';
import type { LintRule } from '../lint/rule.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { pipelineFiles } from '../run/pipeline-files.js';
import { checkShell } from '../setup/check-shell.js';
import { compileOptionsOf, type ExtensionArguments, extensionsForEach } from '../setup/extensions.js';
import { installedPrograms } from '../setup/installed-programs.js';
import { UsageError } from '../setup/usage-error.js';
import { isForeignDrawing } from './foreign-drawing.js';
import type { Io } from './io.js';
import { namedFiles } from './named-files.js';
import { type NamedText, readSource } from './read-source.js';
import { RecordedFiles } from './recorded-files.js';

/** The pipelines that a call names, compiled. */
export interface CheckedFiles {
  readonly checked: readonly Compilation[];
  /** Arguments that match nothing, and files that cannot be read, in words. */
  readonly problems: readonly string[];
  /** Files that were left out, in words. */
  readonly notices: readonly string[];
  /** The rules that plugins have brought. */
  readonly extraRules: readonly LintRule[];
}

/** Reads and compiles pipelines, and remembers what it has compiled, for a command that does so more than once. */
export class FileChecker {
  readonly #options: ExtensionArguments;
  readonly #io: Pick<Io, 'cwd' | 'env' | 'stdin'>;
  readonly #isInstalled: CompileOptions['isInstalled'];
  #extensionsOf: (file: string) => Promise<ChosenExtensions>;
  readonly #compileText: CompileFile;
  #known = new Map<string, CachedCompilation>();

  constructor(
    options: ExtensionArguments,
    io: Pick<Io, 'cwd' | 'env' | 'stdin'>,
    compileText: CompileFile = compileFile,
  ) {
    this.#options = options;
    this.#io = io;
    this.#compileText = compileText;
    this.#isInstalled = installedPrograms(io.env.PATH, io.cwd());
    this.#extensionsOf = extensionsForEach(options, io);
  }

  /** Reads the configuration again, at the next check. */
  forgetConfiguration(): void {
    this.#extensionsOf = extensionsForEach(this.#options, this.#io);
  }

  /**
   * All files of the arguments. One that has not changed is the same object as before.
   * @throws RunError `usage` for an unusable configuration
   */
  async check(args: readonly string[]): Promise<CheckedFiles> {
    const { files, found: searched, problems } = await namedFiles(args, this.#io);
    const found: CachedCompilation[] = [];
    const unreadable: string[] = [];
    const drawings: string[] = [];
    for (const file of files) {
      try {
        const source = await readSource(file, this.#io);
        if (searched.has(file) && isForeignDrawing(source.text)) drawings.push(source.name);
        else found.push(await this.#compile(source, file));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        unreadable.push(error.message);
      }
    }
    this.#known = new Map(found.map((one) => [one.file, one]));
    const extraRules = found.flatMap(({ extensions }) => extensions.rules);
    return {
      checked: found.map(({ compilation }) => compilation),
      problems: [
        ...problems,
        ...unreadable,
        ...(drawings.length > 0 && found.length === 0 ? [describeDrawings(drawings)] : []),
      ],
      notices: drawings.length > 0 && found.length > 0 ? [describeDrawings(drawings)] : [],
      extraRules: [...new Map(extraRules.map((rule) => [rule.name, rule])).values()],
    };
  }

  async #compile(source: NamedText, file: string): Promise<CachedCompilation> {
    const extensions = await this.#extensionsOf(file);
    const known = this.#known.get(file);
    const isSame = known?.compilation.source.text === source.text && known.extensions === extensions;
    if (isSame && known.named.areUnchanged()) return known;
    const named = new RecordedFiles(
      pipelineFiles(file === '-' ? undefined : file, { directory: this.#io.cwd() }),
    );
    const options = {
      ...compileOptionsOf(extensions),
      checkShell,
      isInstalled: this.#isInstalled,
      files: named,
    };
    return { file, extensions, named, compilation: this.#compileText(source, file, options) };
  }
}

interface CachedCompilation {
  readonly file: string;
  readonly extensions: ChosenExtensions;
  /** Files that the pipeline names, directly or by others. */
  readonly named: RecordedFiles;
  readonly compilation: Compilation;
}

/**
 * Compiles the text of a file.
 * @throws UsageError if that is not possible
 */
export type CompileFile = (source: NamedText, file: string, options: CompileOptions) => Compilation;

const compileFile: CompileFile = ({ name, text }, _file, options) => compile(text, { name, ...options });

function describeDrawings(files: readonly string[]): string {
  const [what, them] =
    files.length === 1 ? ['is a Graphviz drawing', 'it'] : ['are Graphviz drawings', 'one'];
  return `left out: ${listFirst(files)} ${what}, without a start, an exit or any attribute of a pipeline; name ${them} to check it all the same`;
}

/** Says on standard error what could not be checked, and what was left out. */
export function tellProblems(
  { problems, notices }: Pick<CheckedFiles, 'problems' | 'notices'>,
  io: Pick<Io, 'stderr'>,
): void {
  for (const problem of [...problems, ...notices]) io.stderr.write(`attractor: ${printableLines(problem)}\n`);
}
