import { useEffect, useRef, useState } from 'preact/hooks';
import './runs.css';
import type { RunStatusName } from '../../server/api/run.js';
import { place, replaceQuery } from '../place.js';
import type { Route } from '../route.js';
import { Button } from '../ui/button.jsx';
import { Loading } from '../ui/loading.jsx';
import { nextIndex } from '../ui/next-index.js';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { runStates } from '../ui/run-badge.jsx';
import { useShortcuts } from '../ui/shortcuts.js';
import { useTitle } from '../ui/use-title.js';
import { NoRuns } from './no-runs.jsx';
import type { RunListQuestion } from './run-list-path.js';
import { RunTable } from './run-table.jsx';
import { SearchField } from './search-field.jsx';
import { StatusFilter } from './status-filter.jsx';
import { useRunList } from './use-run-list.js';

const typingPauseMs = 200;

const runList: Route = { kind: 'runs' };

/** All runs of the server's home, the newest first: searched, filtered, live (§9.5). */
export function RunListPage() {
  useTitle('Runs');
  const question = questionOf(place.value.query);
  const [typed, setTyped] = useTypedSearch(question);
  const search = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLDivElement>(null);
  useShortcuts('Runs', [
    { keys: ['/'], what: 'Search', run: () => search.current?.select() },
    { keys: ['j', 'ArrowDown'], what: 'Next run', run: () => moveFocus(table.current, 'ArrowDown') },
    { keys: ['k', 'ArrowUp'], what: 'Previous run', run: () => moveFocus(table.current, 'ArrowUp') },
    { keys: ['Enter'], what: 'Open the run' },
  ]);
  const list = useRunList(question);
  const clear = (): void => {
    setTyped('');
    replaceQuery(runList, {});
  };
  return (
    <div class="stack">
      <div class="list-head">
        <h1>Runs</h1>
        <SearchField field={search} value={typed} onInput={setTyped} />
      </div>
      <StatusFilter
        counts={list.counts}
        selected={question.status}
        onSelect={(status) => replaceQuery(runList, { search: typed.trim(), status })}
      />
      {/* That the server is away, the shell says; what there was stays to be read. */}
      {list.failure && (list.failure.kind !== 'lost' || list.runs.length === 0) && (
        <ProblemNotice failure={list.failure} onRetry={list.reload} />
      )}
      {list.isFirstLoad && <Loading what="the runs" />}
      {!list.isFirstLoad && list.runs.length === 0 && list.failure === undefined && (
        <NoRuns question={question} onClear={clear} />
      )}
      {list.runs.length > 0 && (
        <div ref={table}>
          <RunTable runs={list.runs} />
        </div>
      )}
      {list.cursor !== null && (
        <div class="list-more">
          <Button icon="more" isBusy={list.isLoadingMore} onClick={() => void list.loadMore()}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * Text of the search field: it is written to the address after a pause in typing, and read from there
 * otherwise.
 */
function useTypedSearch({ search, status }: RunListQuestion): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(search);
  const written = useRef(search);
  useEffect(() => {
    if (search !== written.current) setTyped(search);
    written.current = search;
  }, [search]);
  useEffect(() => {
    // Not typed here: the address may change without this.
    if (typed.trim() === search) return undefined;
    const timer = setTimeout(() => {
      written.current = typed.trim();
      replaceQuery(runList, { search: typed.trim(), status });
    }, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, search, status]);
  return [typed, setTyped];
}

function questionOf(query: URLSearchParams): RunListQuestion {
  const status = query.get('status') ?? '';
  return { search: query.get('search') ?? '', status: isStatus(status) ? status : undefined };
}

function isStatus(text: string): text is RunStatusName {
  return Object.hasOwn(runStates, text);
}

/** From run to run, by the links that lead to them; Enter then opens the run as it does every link. */
function moveFocus(table: HTMLElement | null, key: string): void {
  const links: Element[] = [...(table?.querySelectorAll('[data-run-link]') ?? [])];
  const current = document.activeElement === null ? -1 : links.indexOf(document.activeElement);
  const next = nextIndex(key, current, links.length, { axis: 'y' });
  const link = next === undefined ? undefined : links[next];
  if (link instanceof HTMLElement) link.focus();
}
