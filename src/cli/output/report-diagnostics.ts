import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { type Io, terminalWidth, usesColor } from '../io.js';

/** Prints findings for a person to standard error, with a closing line that counts them. */
export async function reportDiagnostics(files: readonly FileDiagnostics[], io: Io): Promise<void> {
  const { findingsText } = await import('./findings-text.js');
  const { stderr } = io;
  stderr.write(findingsText(files, { color: usesColor(io, stderr), width: terminalWidth(io, stderr) }));
}
