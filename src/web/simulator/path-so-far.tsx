import { lastOf } from '../../machine/persistent.js';
import type { RunState } from '../../machine/state.js';
import { Panel } from '../ui/panel.jsx';

const mostShown = 200;

/** Every stage that was begun, in order (SEMANTICS 88). */
export function PathSoFar({ state }: { readonly state: RunState }) {
  const shown = lastOf(state.path, mostShown);
  const omitted = state.path.size - shown.length;
  return (
    <Panel title="Path so far" aside={<span class="muted small number">{state.path.size}</span>}>
      <ol class="path" start={omitted + 1}>
        {shown.map((id, index) => (
          <li key={omitted + index} data-status={state.statuses.get(id)}>
            {id}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
