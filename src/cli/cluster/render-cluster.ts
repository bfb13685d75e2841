import type { ClusterWorker, ListedRun } from '../../cluster/cluster.js';
import { printable } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { formatDuration } from '../../view/format-duration.js';

/** Runs of a cluster as a table. */
export function renderRuns(runs: readonly ListedRun[], now: number): string {
  if (runs.length === 0) return 'There are no runs.\n';
  return table([
    ['run', 'status', 'submitted', 'worker'],
    ...runs.map(({ runId, status, submittedAt, worker, awaits, problem }) => [
      runId,
      status,
      `${formatDuration(now - submittedAt)} ago`,
      status === 'queued' ? awaitedText(awaits) : (problem ?? worker ?? ''),
    ]),
  ]);
}

function awaitedText(awaits: string | undefined): string {
  return awaits === undefined ? '' : `waits for ${awaits}`;
}

/** Workers of a cluster as a table. */
export function renderWorkers(workers: readonly ClusterWorker[], now: number): string {
  if (workers.length === 0) return 'There are no workers. Start one with `attractor worker`.\n';
  return table([
    ['worker', 'runs', 'stages', 'labels', 'since'],
    ...workers.map(({ id, labels, started, leaving, ...load }) => [
      leaving ? `${id} (leaving)` : id,
      `${load.runs} of ${load.max_runs}`,
      `${load.stages} of ${load.max_stages}`,
      labels.join(','),
      `${formatDuration(now - started.getTime())} ago`,
    ]),
  ]);
}

function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell)));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => textColumns(row[column] ?? ''))),
  );
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => padColumns(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
