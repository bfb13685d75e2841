import { LazyPlayground } from './playground/lazy-playground.jsx';
import type { Route } from './route.js';
import { hrefOf } from './route.js';
import { RunPage } from './run/run-page.jsx';
import { RunListPage } from './runs/run-list-page.jsx';
import { EmptyState } from './ui/empty-state.jsx';
import { useTitle } from './ui/use-title.js';
import { WorkersPage } from './workers/workers-page.jsx';

/** The screen that an address names. */
export function Screen({ route }: { readonly route: Route }) {
  switch (route.kind) {
    case 'runs':
      return <RunListPage />;
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} nodeId={undefined} />;
    case 'stage':
      return <RunPage key={route.runId} runId={route.runId} nodeId={route.nodeId} />;
    case 'playground':
      return <LazyPlayground />;
    case 'workers':
      return <WorkersPage />;
    case 'nowhere':
      return <Nowhere />;
  }
}

function Nowhere() {
  useTitle('Nothing here');
  return (
    <EmptyState title="There is nothing at this address" icon="question" isScreen>
      <p>It may be mistyped, or from another version of attractor.</p>
      <a class="button" href={hrefOf({ kind: 'runs' })}>
        To the runs
      </a>
    </EmptyState>
  );
}
