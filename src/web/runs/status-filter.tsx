import type { RunStatusName } from '../../server/api/run.js';
import { runStates } from '../ui/run-badge.jsx';

interface StatusFilterProps {
  readonly counts: Readonly<Record<string, number>>;
  /** undefined: all. */
  readonly selected: RunStatusName | undefined;
  readonly onSelect: (status: RunStatusName | undefined) => void;
}

/** Filter by status, with the number of runs in each; statuses without runs are left out. */
export function StatusFilter({ counts, selected, onSelect }: StatusFilterProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const statuses = Object.keys(runStates) as RunStatusName[];
  const present = statuses.filter((status) => (counts[status] ?? 0) > 0 || status === selected);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="chips" role="group" aria-label="Show runs by state">
      <Chip text="All" count={all} isOn={selected === undefined} onClick={() => onSelect(undefined)} />
      {present.map((status) => (
        <Chip
          key={status}
          text={runStates[status].word}
          colour={runStates[status].colour}
          count={counts[status] ?? 0}
          isOn={status === selected}
          onClick={() => onSelect(status === selected ? undefined : status)}
        />
      ))}
    </div>
  );
}

interface ChipProps {
  readonly text: string;
  readonly count: number;
  readonly colour?: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

function Chip({ text, count, colour, isOn, onClick }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
      {colour !== undefined && <span class="dot" data-state={colour} />}
      {text} <span class="chip-count number">{count}</span>
    </button>
  );
}
