import { useMemo } from 'preact/hooks';
import type { RunEvent } from '../../machine/event.js';
import { VisitLog } from '../run/model/visit-log.js';
import { Panel } from '../ui/panel.jsx';

const mostShown = 200;

/** Every stage that was begun, in order (SEMANTICS 88), each visit in the colour of its own end. */
export function PathSoFar({ events }: { readonly events: readonly RunEvent[] }) {
  const visits = useMemo(() => {
    const log = new VisitLog();
    for (const event of events) log.add(event);
    return log.visits;
  }, [events]);
  const shown = visits.slice(-mostShown);
  return (
    <Panel title="Path so far" aside={<span class="muted small number">{visits.length}</span>}>
      <ol class="path" start={visits.length - shown.length + 1}>
        {shown.map(({ index, nodeId, status }) => (
          <li key={index} data-status={status}>
            {nodeId}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
