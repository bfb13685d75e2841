import { findingKind } from '../../diagnostic/diagnostic.js';
import { messageOf } from '../../handlers/error-category.js';
import { RunError } from '../../run-directory/run-error.js';
import { ProblemError } from '../../server/problem-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Log } from '../../telemetry/log.js';

/** Most findings of a refusal that its text has. */
const mostFindings = 20;

/** Text for a call that could not be carried out; a bug of our own is logged. */
export function problemText(error: unknown, log: Log): string {
  if (error instanceof UsageError || error instanceof RunError) return error.message;
  if (error instanceof ProblemError) {
    const { message, diagnostics = [], findings = [] } = error;
    const lines = [
      ...diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ line, column, rule, code, message: found }) => {
          const kind = findingKind({ rule, code: typeof code === 'string' ? code : undefined });
          return `${line}:${column} error ${kind}: ${found}`;
        }),
      ...findings
        .filter(({ severity }) => severity === 'error')
        .map(({ message: found, help }) => (help === undefined ? found : `${found}; ${help}`)),
    ];
    // The message of a refusal may be that of its first finding, whose line says where it is too.
    const whole = lines.some((line) => line.endsWith(message)) ? [] : [message];
    return [...whole, ...lines.slice(0, mostFindings)].join('\n');
  }
  log.write('error', 'a call hit a bug of attractor', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return `this is a bug of attractor: ${messageOf(error)}`;
}
