import { prepareSingleDrawing } from '../render/prepare-single-drawing.js';
import { version } from '../version.js';
import type { Io } from './io.js';
import { processIo } from './process-io.js';

export { keepCompiledCode } from './code-cache.js';

/**
 * The command line (DESIGN §5). Scripts and editors ask for the version again and again: that loads nothing else.
 * @param argv the arguments without the names of Node and of the script
 * @returns the exit status
 */
export async function main(argv: readonly string[], here: NodeJS.Process): Promise<number> {
  const io = processIo(here);
  const [first, ...others] = argv;
  if (others.length === 0 && (first === '--version' || first === '-V')) return printVersion(io);
  if (first === 'render') await prepareSingleDrawing();
  const { runCommandLine } = await import('./command-line.js');
  return runCommandLine(argv, io);
}

/** Prints the version. As in every command, a closed reader is not a failure, but a full disk is one. */
function printVersion({ stdout }: Io): Promise<number> {
  return new Promise((resolve) => {
    stdout.on?.('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EPIPE' ? 0 : 1));
    stdout.write(`${version}\n`, () => setImmediate(resolve, 0));
  });
}
