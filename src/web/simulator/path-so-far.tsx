import { useMemo } from 'preact/hooks';
import type { RunEvent } from '../../machine/event.js';
import { applyAll } from '../../view/fold/apply.js';
import { emptyView, narrowScope } from '../../view/fold/run-view.js';
import { Panel } from '../ui/panel.jsx';

const mostShown = 200;

/** Every stage that was begun, in order (SEMANTICS 88), each visit in the colour of its own end. */
export function PathSoFar({ events }: { readonly events: readonly RunEvent[] }) {
  const { visits, omitted } = useMemo(
    () => applyAll(emptyView({ ...narrowScope, rows: mostShown }), events).visits,
    [events],
  );
  return (
    <Panel title="Path so far" aside={<span class="muted small number">{omitted + visits.length}</span>}>
      <ol class="path" start={omitted + 1}>
        {visits.map(({ index, nodeId, status }) => (
          <li key={index} data-status={status}>
            {nodeId}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
