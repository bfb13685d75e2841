import { hrefOf } from '../route.js';
import { Button } from '../ui/button.jsx';
import { EmptyState } from '../ui/empty-state.jsx';
import type { RunListQuestion } from './run-list-path.js';

interface NoRunsProps {
  readonly question: RunListQuestion;
  readonly onClear: () => void;
}

/** Message in place of an empty list: no run matches, or there are none yet. */
export function NoRuns({ question: { search, status }, onClear }: NoRunsProps) {
  if (search !== '' || status !== undefined) {
    return (
      <EmptyState title="No run matches" icon="search">
        <p>Names, goals and ids are searched, in any case.</p>
        <Button onClick={onClear}>Show all runs</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No runs yet">
      <p>
        Write a pipeline in the playground, or take one of its examples, and run it there. What{' '}
        <code>attractor run</code> runs in the same directory is listed here too.
      </p>
      <a class="button button-primary" href={hrefOf({ kind: 'playground' })}>
        Open the playground
      </a>
    </EmptyState>
  );
}
