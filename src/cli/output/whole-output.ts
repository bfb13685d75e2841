import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';

/**
 * The command that prints all that a failed stage has printed, of which its reason has the last lines; undefined where it
 * has printed nothing.
 * @param run as the next call may name it
 */
export function wholeOutput(
  directory: string,
  nodeId: string | null | undefined,
  run: string,
): string | undefined {
  if (!nodeId) return undefined;
  const restarts = readdirSync(directory).filter((name) => name.startsWith('restart-'));
  const hasPrinted = ['', ...restarts].some((place) =>
    ['stdout.log', 'stderr.log'].some((name) => existsSync(path.join(directory, place, nodeId, name))),
  );
  return hasPrinted ? `attractor logs ${printable(run)} --output ${printable(nodeId)}` : undefined;
}
