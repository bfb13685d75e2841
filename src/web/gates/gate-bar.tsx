import { useEffect } from 'preact/hooks';
import type { RunList, RunListEntry } from '../../server/api/run.js';
import { place } from '../place.js';
import { hrefOf } from '../route.js';
import { Icon } from '../ui/icon.jsx';
import { useResource } from '../ui/use-resource.js';
import { waitingQuestions } from '../ui/use-title.js';

const pollMs = 5000;

/** The runs that wait for an answer, those that have waited longest first. */
function askingRuns(runs: readonly RunListEntry[]): readonly RunListEntry[] {
  return runs.filter(({ open_questions }) => open_questions > 0).reverse();
}

/**
 * Lists on every screen the runs that wait for an answer, except the run on the screen, which shows its
 * questions itself.
 */
export function GateBar() {
  const { data } = useResource<RunList>('pipelines?status=running&limit=200', { pollMs });
  const { route } = place.value;
  const runs = askingRuns(data?.runs ?? []);
  const elsewhere = runs.filter(({ id }) => !('runId' in route) || route.runId !== id);
  const count = runs.reduce((sum, { open_questions }) => sum + open_questions, 0);
  useEffect(() => {
    waitingQuestions.value = count;
  }, [count]);
  return (
    <div role="status">
      {elsewhere.length > 0 && (
        <div class="gate-bar">
          <Icon name="question" />
          <span>{elsewhere.length === 1 ? 'A run waits for an answer:' : 'Runs wait for answers:'}</span>
          <ul>
            {elsewhere.slice(0, 5).map(({ id, name, open_questions }) => (
              <li key={id}>
                <a href={hrefOf({ kind: 'run', runId: id })}>{name}</a>
                {open_questions > 1 && <span class="number"> ({open_questions})</span>}
              </li>
            ))}
          </ul>
          {elsewhere.length > 5 && <span>and {elsewhere.length - 5} more</span>}
        </div>
      )}
    </div>
  );
}
