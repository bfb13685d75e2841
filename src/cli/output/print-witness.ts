import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { FileChecker, tellProblems } from '../check-files.js';
import type { Io } from '../io.js';

/**
 * Prints the run that shows a finding as a script for `run --simulate --script`.
 * @param number of the finding in the only file, from 1, in the order of the text
 * @returns 2 if the file cannot be read
 * @throws UsageError if there is no such finding, or none that a run shows
 */
export async function printWitness(
  args: readonly string[],
  number: number,
  options: ExtensionArguments,
  io: Io,
): Promise<number> {
  const files = await new FileChecker(options, io).check(args);
  tellProblems(files, io);
  if (files.problems.length > 0) return 2;
  const [file, ...others] = files.checked;
  if (file === undefined || others.length > 0)
    throw new UsageError(
      `--explain-finding takes the number of a finding in one pipeline, but there are ${files.checked.length}; name one`,
    );
  const { diagnostics } = file;
  const finding = diagnostics[number - 1];
  if (finding === undefined)
    throw new UsageError(
      `there is no finding ${number}: ${file.source.name} has ${diagnostics.length}; \`lint --verbose\` shows them all in their order`,
    );
  if (finding.witness === undefined) throw new UsageError(whyWithout(finding, number));
  io.stdout.write(`${JSON.stringify(finding.witness, undefined, 2)}\n`);
  return 0;
}

function whyWithout({ rule, unproved }: Diagnostic, number: number): string {
  return unproved
    ? `finding ${number} (${rule}) has no script: the search for a run that shows it was given up`
    : `finding ${number} (${rule}) has no script: it does not say that something may happen in a run`;
}
