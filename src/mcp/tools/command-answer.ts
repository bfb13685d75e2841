import type { CallResult } from '../../setup/call-result.js';
import { UsageError } from '../../setup/usage-error.js';

/** Problem of a command, in its own words. */
export function commandProblem({ status, stdout, stderr }: CallResult): UsageError {
  const said = plainText(stderr) || plainText(stdout);
  if (said !== '') return new UsageError(said);
  return new UsageError(
    status === null ? 'the call was stopped' : `the command ended with exit status ${status} and no message`,
  );
}

/** Output of a command without the name of the program before each message. */
export function plainText(output: string): string {
  return output.replaceAll(/^attractor: /gm, '').replaceAll(/^\n+|\s+$/g, '');
}

/** JSON that a command has printed. @throws UsageError with its message if it has failed */
export function jsonOutput(result: CallResult): Readonly<Record<string, unknown>> {
  if (result.status === null || result.stdout.trim() === '') throw commandProblem(result);
  return JSON.parse(result.stdout) as Readonly<Record<string, unknown>>;
}
