import type { Compilation, CompileOptions } from '../compiler/compile.js';
import { type FixedText, fix } from '../compiler/fix.js';
import { counted } from '../diagnostic/counted.js';
import { printableLines } from '../diagnostic/printable.js';
import type { ExtensionArguments } from '../setup/extensions.js';
import { replaceFile } from '../setup/replace-file.js';
import { type CheckedFiles, FileChecker } from './check-files.js';
import type { Io } from './io.js';
import type { NamedText } from './read-source.js';

/**
 * `lint --fix`: makes the safe fixes of findings in the files of the arguments, in place, and prints
 * standard input with its fixes (SEMANTICS 98). It reports on standard error.
 * @returns the fixed files, with the remaining findings
 */
export function fixFiles(
  args: readonly string[],
  options: ExtensionArguments,
  io: Io,
): Promise<CheckedFiles> {
  const fixOne = (source: NamedText, file: string, compileOptions: CompileOptions): Compilation => {
    const fixed = fix(source.text, { name: source.name, ...compileOptions });
    const text = `${source.hasByteOrderMark ? '\uFEFF' : ''}${fixed.text}`;
    if (file === '-') io.stdout.write(text);
    else if (fixed.text !== source.text) replaceFile(file, io.cwd(), text);
    tellFixes(source.name, fixed, io);
    return fixed.compilation;
  };
  return new FileChecker(options, io, fixOne).check(args);
}

function tellFixes(name: string, { fixed, withheld }: FixedText, io: Pick<Io, 'stderr'>): void {
  const file = printableLines(name);
  if (fixed.length > 0) io.stderr.write(`fixed ${counted(fixed.length, 'problem')} in ${file}\n`);
  if (withheld.length > 0) {
    const what =
      withheld.length === 1
        ? '1 fix was not made, because it'
        : `${withheld.length} fixes were not made, because they`;
    io.stderr.write(`attractor: in ${file} ${what} would cause another error\n`);
  }
}
