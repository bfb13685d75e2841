import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../../diagnostic/counted.js';
import {
  type BranchRow,
  type BranchTable,
  countBranches,
  itemText,
} from '../../../view/fold/branch-table.js';
import { formatDuration } from '../../../view/format-duration.js';
import type { LiveRun } from '../model/live-run.js';
import { visitWords } from '../visit-words.js';
import { WindowedList } from '../windowed-list.jsx';

interface BranchesProps {
  readonly live: LiveRun;
  readonly nodeId: string;
  /** Execution ordinal of the visit. */
  readonly index: number;
  readonly onOpen: (nodeId: string, visit: number) => void;
}

const rowHeight = 52;

type State = BranchRow['state'];
const states: readonly State[] = ['running', 'fail', 'partial_success', 'success', 'skipped', 'retry'];

/** Branches of a parallel node, of a list with their items: outcome, duration and result of each, of any number of them. */
export function Branches({ live, nodeId, index, onOpen }: BranchesProps) {
  const [state, setState] = useState<State>();
  const [text, setText] = useState('');
  const run = live.now();
  const table = useMemo(() => tableOf(run, nodeId, index), [run.events.length, nodeId, index]);
  const words = text.trim().toLowerCase();
  const rows = useMemo(() => matching(table, state, words), [table, run.events.length, state, words]);
  if (table === undefined) return null;
  const counts = countBranches(table);
  const waiting = counts.get('waiting') ?? 0;
  const title = table.items === undefined ? 'Branches' : 'Items';
  return (
    <section class="part" aria-label={title}>
      <h3>
        {title} <span class="muted number">{table.count.toLocaleString()}</span>
      </h3>
      {table.count > 5 && (
        <div class="row">
          <label class="field events-search">
            <span class="visually-hidden">Find by item or result</span>
            <input
              type="search"
              placeholder="Item or result"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <label class="field">
            <span class="visually-hidden">Outcome</span>
            <select
              value={state ?? ''}
              onChange={({ currentTarget: { value } }) => setState(states.find((one) => one === value))}
            >
              <option value="">all outcomes</option>
              {states.map((one) => (
                <option key={one} value={one} disabled={!counts.has(one)}>
                  {visitWords[one].word}: {counts.get(one) ?? 0}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {table.count > 5 && (
        <p class="muted small number" role="status">
          {counted(rows.length, 'row')}
          {waiting > 0 && `; ${waiting.toLocaleString()} not begun`}
        </p>
      )}
      {rows.length > 0 && (
        <WindowedList
          label={`${title}: outcome, ${table.items === undefined ? 'name' : 'item'}, duration, result`}
          count={rows.length}
          rowHeight={rowHeight}
          row={(position) => <Row table={table} row={rows[position]} />}
          onOpen={(position) => {
            const at = rows[position]?.at ?? current(run, rows[position]?.branch);
            if (at !== undefined) onOpen(at.nodeId, at.visit);
          }}
        />
      )}
    </section>
  );
}

function matching(
  table: BranchTable | undefined,
  state: State | undefined,
  words: string,
): readonly (BranchRow | undefined)[] {
  if (table === undefined) return [];
  return table.rows.filter(
    (row) =>
      row !== undefined &&
      (state === undefined || row.state === state) &&
      (words === '' || `${itemText(table, row)} ${row.result}`.toLowerCase().includes(words)),
  );
}

function tableOf(live: LiveRun, nodeId: string, index: number): BranchTable | undefined {
  const latest = live.latestOf(nodeId);
  if (latest?.index === index) return latest.branches;
  return live.view.visits.visits.find((visit) => visit.index === index)?.branches;
}

/** Stage that a branch is at before one of its stages has settled. */
function current({ view }: LiveRun, branch: string | undefined): BranchRow['at'] {
  return branch === undefined ? undefined : view.current.get(branch);
}

function Row({ table, row }: { readonly table: BranchTable; readonly row: BranchRow | undefined }) {
  if (row === undefined) return null;
  const { word, colour } = visitWords[row.state];
  return (
    <span class="branch-row">
      <span class="muted number small">{row.index + 1}</span>
      <span class="badge" data-state={colour}>
        {word}
      </span>
      <span class="branch-item">{itemText(table, row)}</span>
      <span class="number small">{row.durationMs === undefined ? '' : formatDuration(row.durationMs)}</span>
      <span class="branch-result muted small">{row.result}</span>
    </span>
  );
}
