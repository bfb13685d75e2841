import path from 'node:path';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { runIds, runsHome, undecodableRuns } from '../../setup/find-run.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunSummary } from '../../view/summarize-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';

interface RunsOptions {
  readonly json?: true;
}

/** `attractor runs`: the runs below `.attractor/runs`, the newest last (DESIGN §5). */
export const runsCommand: CliCommand<RunsOptions> = {
  name: 'runs',
  summary: 'List the runs of this directory',
  example: 'attractor runs',
  configure: (command) => command.option('--json', 'print the list as JSON'),
  async run(_args, options, io) {
    const { summarizeRun } = await import('../../view/summarize-run.js');
    const home = runsHome(io.cwd());
    const runs = runIds(io.cwd()).map((id) => summarizeRun(path.join(home, id)));
    const left = undecodableRuns(io.cwd());
    if (left.length > 0) {
      const names = printable(listFirst(left));
      io.stderr.write(`left out, because the name is not UTF-8; rename the directory: ${names}\n`);
    }
    if (options.json) {
      io.stdout.write(`${terminalJson({ runs }, 2)}\n`);
    } else if (runs.length === 0) {
      io.stderr.write(`There are no runs below ${runsHome('.')}.\n`);
    } else {
      const { Chalk } = await import('chalk');
      const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
      const rows = runs.map((run) => rowOf(run, Date.now()));
      const header = ['RUN', 'STATUS', 'STAGES', 'LAST STAGE', 'TOOK', 'STARTED'];
      const { isTTY, columns = 80 } = io.stdout;
      const lines = align([header, ...rows], isTTY ? columns : Number.POSITIVE_INFINITY);
      io.stdout.write(lines.map((line, index) => `${index === 0 ? chalk.dim(line) : line}\n`).join(''));
    }
    return exitCode.ok;
  },
};

function rowOf(run: RunSummary, now: number): readonly string[] {
  const age = now - Date.parse(run.start_time);
  return [
    printable(run.run_id),
    printable(run.status) + (run.simulated ? ' (simulated)' : ''),
    String(run.steps),
    printable(run.current_node ?? '–'),
    run.duration_ms === null ? '–' : formatDuration(run.duration_ms),
    Number.isNaN(age) ? '–' : `${formatDuration(age)} ago`,
  ];
}

/** Columns that a narrow terminal can do without, the least important first. */
const dispensable = ['LAST STAGE', 'TOOK', 'STAGES', 'STARTED'];

/** Rows in columns, of which those are left out that a terminal has no room for. */
function align(rows: readonly (readonly string[])[], room: number): readonly string[] {
  const [header = []] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => textColumns(row[column] ?? ''))));
  const shown = new Set(header.keys());
  for (const name of dispensable) {
    const needed = [...shown].reduce((sum, column) => sum + (widths[column] ?? 0) + 2, -2);
    if (needed > room) shown.delete(header.indexOf(name));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => padColumns(cell, widths[column] ?? 0))
      .filter((_, column) => shown.has(column))
      .join('  ')
      .trimEnd(),
  );
}
