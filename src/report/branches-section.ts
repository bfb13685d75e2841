import { counted } from '../diagnostic/counted.js';
import { type BranchRow, type BranchTable, countBranches, itemText } from '../view/fold/branch-table.js';
import { formatDuration } from '../view/format-duration.js';
import type { Allowance } from './allowance.js';
import { type Html, html } from './html.js';
import { terminalHtml } from './terminal-html.js';
import { badge, statusText } from './words.js';

/** Branches of one visit that are shown: failed ones first. */
const rowsShown = 300;

/**
 * Branches of a visit to a parallel node, those of a list with their items, as a table of limited length.
 * @param file that has them all
 */
export function branchesSection(table: BranchTable | undefined, allowance: Allowance, file: string): Html {
  if (table === undefined) return html``;
  const rows = table.rows.filter((row) => row !== undefined);
  const listed = chosenRows(rows, Math.min(rowsShown, allowance.rows));
  allowance.rows -= listed.length;
  const counts = [...countBranches(table)].map(
    ([state, count]) => `${count} ${state === 'waiting' ? 'not begun' : statusText(state)}`,
  );
  const isList = table.items !== undefined;
  const omitted = rows.length - listed.length;
  const note =
    omitted === 0
      ? html``
      : html`<p class="note">${counted(omitted, isList ? 'item' : 'branch', isList ? 'items' : 'branches')} left out; failed ones are shown first. <code>${file}</code> has them all.</p>`;
  return html`<p class="heading">${isList ? 'Items' : 'Branches'} <span class="note">${table.count}: ${counts.join(', ')}</span></p>${note}<table class="branches"><thead><tr><th scope="col">#</th><th scope="col">${isList ? 'Item' : 'Branch'}</th><th scope="col">Outcome</th><th scope="col">Took</th><th scope="col">Result</th></tr></thead><tbody>
${listed.map((row) => rowHtml(table, row))}</tbody></table>`;
}

function chosenRows(rows: readonly BranchRow[], limit: number): readonly BranchRow[] {
  if (rows.length <= limit) return rows;
  const rank = ({ state }: BranchRow): number => (state === 'fail' ? 0 : state === 'running' ? 1 : 2);
  return rows
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, Math.max(0, limit))
    .sort((one, other) => one.index - other.index);
}

function rowHtml(table: BranchTable, row: BranchRow): Html {
  const took = row.durationMs === undefined ? '' : formatDuration(row.durationMs);
  return html`<tr><td>${row.index + 1}</td><th scope="row">${itemText(table, row)}</th><td>${badge(row.state)}</td><td>${took}</td><td class="prose">${terminalHtml(row.result)}</td></tr>
`;
}
