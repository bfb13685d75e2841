import type { ChalkInstance } from 'chalk';
import type { Severity } from './diagnostic.js';

/** Color of a severity. */
export function severityPaint(chalk: ChalkInstance, severity: Severity): ChalkInstance {
  switch (severity) {
    case 'error':
      return chalk.red;
    case 'warning':
      return chalk.yellow;
    case 'info':
      // Blue cannot be read on a black ground.
      return chalk.cyan;
  }
}
