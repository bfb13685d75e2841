import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { type Io, usesColor } from '../io.js';

/** Prints findings for a person to standard error, with a closing line that counts them. */
export async function reportDiagnostics(files: readonly FileDiagnostics[], io: Io): Promise<void> {
  const { countDiagnostics } = await import('../../diagnostic/diagnostic.js');
  const { renderPretty } = await import('../../diagnostic/render-pretty.js');
  const { renderSummary } = await import('../../diagnostic/render-summary.js');
  const color = usesColor(io, io.stderr);
  const { columns } = io.stderr;
  const counts = countDiagnostics(files.flatMap(({ diagnostics }) => diagnostics));
  io.stderr.write(renderPretty(files, { color, width: columns }));
  io.stderr.write(`${renderSummary(counts, undefined, color)}\n`);
}
