import type { SimulationResult } from '../../run/simulate/simulate.js';

/** Most stages of a path that an answer shows. */
const longestPath = 60;

/** Result of a simulation in a few lines. */
export function resultText(result: SimulationResult): string {
  const { status, quality, path, failure_reason, failed_node, failed_stages, paused_reason, waiting_node } =
    result;
  const quietly = quality === 'clean' ? '' : `, ${quality}`;
  const shown =
    path.length <= longestPath
      ? path
      : [
          ...path.slice(0, longestPath / 2),
          `… ${path.length - longestPath} more …`,
          ...path.slice(-longestPath / 2),
        ];
  const lines = [
    `${status}${quietly}`,
    `path: ${shown.join(' -> ')}`,
    failure_reason === undefined
      ? ''
      : `reason: ${failure_reason}${failed_node === undefined ? '' : ` (stage ${failed_node})`}`,
    failed_stages.length === 0 ? '' : `failed stages: ${failed_stages.join(', ')}`,
    paused_reason === undefined
      ? ''
      : `paused: ${paused_reason}${waiting_node === undefined ? '' : `; open question: ${waiting_node}`}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}
