import { useEffect, useState } from 'preact/hooks';
import type { RunList } from '../../server/api/run.js';
import { type Failure, failureOf } from '../api/failure.js';
import { requestJson } from '../api/request.js';
import { useResource } from '../ui/use-resource.js';
import { mergeRuns, noOlderRuns, type ShownRuns } from './merge-runs.js';
import { firstRunsPath, nextRunsPath, type RunListQuestion } from './run-list-path.js';

export interface LiveRunList extends ShownRuns {
  /** Numbers of runs by status, of all that match apart from the status. */
  readonly counts: RunList['counts'];
  /** Nothing has come yet. */
  readonly isFirstLoad: boolean;
  readonly failure: Failure | undefined;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => Promise<void>;
  readonly reload: () => void;
}

const pollMs = 3000;

/** List of runs, renewed while it is visible. */
export function useRunList(question: RunListQuestion): LiveRunList {
  const { search, status } = question;
  const [older, setOlder] = useState(noOlderRuns);
  const [moreFailure, setMoreFailure] = useState<Failure>();
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    setOlder(noOlderRuns);
    setShown(0);
    setMoreFailure(undefined);
  }, [search, status]);
  const first = useResource<RunList>(firstRunsPath(question, shown), { pollMs, keepsData: true });
  const merged = first.data === undefined ? { runs: [], cursor: null } : mergeRuns(first.data, older);
  const loadMore = async (): Promise<void> => {
    if (merged.cursor === null || isLoadingMore) return;
    setLoadingMore(true);
    try {
      const page = await requestJson<RunList>(nextRunsPath(question, merged.cursor));
      setOlder({ runs: [...merged.runs, ...page.runs], cursor: page.next_cursor });
      setShown(merged.runs.length + page.runs.length);
      setMoreFailure(undefined);
    } catch (error) {
      setMoreFailure(failureOf(error));
    } finally {
      setLoadingMore(false);
    }
  };
  return {
    ...merged,
    counts: first.data?.counts ?? {},
    isFirstLoad: first.data === undefined && first.failure === undefined,
    failure: first.failure ?? moreFailure,
    isLoadingMore,
    loadMore,
    reload: first.reload,
  };
}
