import { type Compilation, type CompileOptions, compile } from '../compiler/compile.js';
import { printableLines } from '../diagnostic/printable.js';
import type { LintRule } from '../lint/rule.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { checkShell } from '../setup/check-shell.js';
import { childExistsBeside } from '../setup/child-exists.js';
import { compileOptionsOf, type ExtensionArguments, extensionsForEach } from '../setup/extensions.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';
import { namedFiles } from './named-files.js';
import { type NamedText, readSource } from './read-source.js';

/** The pipelines that a call names, compiled. */
export interface CheckedFiles {
  readonly checked: readonly Compilation[];
  /** Arguments that match nothing, and files that cannot be read, in words. */
  readonly problems: readonly string[];
  /** The rules that plugins have brought. */
  readonly extraRules: readonly LintRule[];
}

/** Reads and compiles pipelines, and remembers what it has compiled, for a command that does so more than once. */
export class FileChecker {
  readonly #options: ExtensionArguments;
  readonly #io: Pick<Io, 'cwd' | 'stdin'>;
  #extensionsOf: (file: string) => Promise<ChosenExtensions>;
  readonly #compileText: CompileFile;
  #known = new Map<string, CachedCompilation>();

  constructor(
    options: ExtensionArguments,
    io: Pick<Io, 'cwd' | 'stdin'>,
    compileText: CompileFile = compileFile,
  ) {
    this.#options = options;
    this.#io = io;
    this.#compileText = compileText;
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
    const { files, problems } = await namedFiles(args, this.#io);
    const found: CachedCompilation[] = [];
    const unreadable: string[] = [];
    for (const file of files) {
      try {
        found.push(await this.#compile(file));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        unreadable.push(error.message);
      }
    }
    this.#known = new Map(found.map((one) => [one.file, one]));
    const extraRules = found.flatMap(({ extensions }) => extensions.rules);
    return {
      checked: found.map(({ compilation }) => compilation),
      problems: [...problems, ...unreadable],
      extraRules: [...new Map(extraRules.map((rule) => [rule.name, rule])).values()],
    };
  }

  async #compile(file: string): Promise<CachedCompilation> {
    const source = await readSource(file, this.#io);
    const extensions = await this.#extensionsOf(file);
    const known = this.#known.get(file);
    if (known?.compilation.source.text === source.text && known.extensions === extensions) return known;
    const childExists = childExistsBeside(file, this.#io.cwd());
    const options = { ...compileOptionsOf(extensions), checkShell, childExists };
    return { file, extensions, compilation: this.#compileText(source, file, options) };
  }
}

interface CachedCompilation {
  readonly file: string;
  readonly extensions: ChosenExtensions;
  readonly compilation: Compilation;
}

/**
 * Compiles the text of a file.
 * @throws UsageError if that is not possible
 */
export type CompileFile = (source: NamedText, file: string, options: CompileOptions) => Compilation;

const compileFile: CompileFile = ({ name, text }, _file, options) => compile(text, { name, ...options });

/** Says on standard error what could not be checked. */
export function tellProblems({ problems }: Pick<CheckedFiles, 'problems'>, io: Pick<Io, 'stderr'>): void {
  for (const problem of problems) io.stderr.write(`attractor: ${printableLines(problem)}\n`);
}
