import { execFile } from 'node:child_process';
import type { CallResult } from './call-result.js';

/** Longest output of a command that is kept, in bytes. */
const longestOutput = 16 * 1024 * 1024;

/**
 * Calls the command line that this process is part of. It never throws.
 * @param input text of standard input; empty by default
 */
export function callAttractor(
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  input = '',
): Promise<CallResult> {
  const [, executable = ''] = process.argv;
  return new Promise((resolve) => {
    const options = { cwd, signal, maxBuffer: longestOutput, env: { ...process.env, NO_COLOR: '1' } };
    const child = execFile(process.execPath, [executable, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ status: code, stdout, stderr: code === null ? `${stderr}${error?.message ?? ''}` : stderr });
    });
    // A command that ends before it has read everything does not fail this process.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
