import { countDiagnostics } from '../diagnostic/diagnostic.js';
import type { CheckedFiles } from './check-files.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';

/**
 * Exit status for the findings of `lint` (DESIGN §5); too many warnings are reported, because the findings
 * do not show the limit.
 */
export function lintStatus(
  { checked, problems }: Pick<CheckedFiles, 'checked' | 'problems'>,
  { maxWarnings = Number.POSITIVE_INFINITY }: { readonly maxWarnings?: number },
  io: Pick<Io, 'stderr'>,
): number {
  const { errors, warnings } = countDiagnostics(checked.flatMap(({ diagnostics }) => diagnostics));
  if (warnings > maxWarnings) {
    const found = warnings === 1 ? '1 warning is' : `${warnings} warnings are`;
    io.stderr.write(`attractor: ${found} more than --max-warnings ${maxWarnings} allows\n`);
  }
  if (problems.length > 0) return exitCode.usage;
  return errors > 0 || warnings > maxWarnings ? exitCode.failure : exitCode.ok;
}
