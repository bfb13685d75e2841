import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.js';
import { request, serverState } from '../api/request.js';

export interface Resource<Body> {
  /** The latest that came; kept when a later request fails. */
  readonly data: Body | undefined;
  /** Reason of the last failure; undefined once a request succeeds. */
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Asks again at once. */
  readonly reload: () => void;
}

interface ResourceOptions {
  /** Interval in milliseconds after each answer; not while the page is hidden. */
  readonly pollMs?: number;
  /** Keeps showing what there was while another path loads, as in a search. */
  readonly keepsData?: boolean;
  /** `text` for files. */
  readonly as?: 'json' | 'text';
}

const nothing = { data: undefined, failure: undefined, isLoading: true };

/**
 * Resource of the server under a path, for as long as the component is mounted, requested again when an
 * unreachable server is back; an answer that comes too late for its path is dropped.
 * @param path undefined to request nothing
 */
export function useResource<Body>(path: string | undefined, options: ResourceOptions = {}): Resource<Body> {
  const { pollMs, keepsData = false, as = 'json' } = options;
  const [state, setState] = useState<Omit<Resource<Body>, 'reload'>>(nothing);
  const [round, setRound] = useState(0);
  const last = useRef<{ readonly path: string; readonly tag: string | null } | undefined>(undefined);
  useEffect(() => {
    if (path === undefined) return setState({ ...nothing, isLoading: false });
    const isSame = last.current?.path === path;
    setState((before) => (isSame || keepsData ? { ...before, isLoading: true } : nothing));
    const leaving = new AbortController();
    const settle = (
      next: (before: Omit<Resource<Body>, 'reload'>) => Omit<Resource<Body>, 'reload'>,
    ): void => {
      if (!leaving.signal.aborted) setState(next);
    };
    const load = async (): Promise<void> => {
      const tag = last.current?.path === path ? last.current.tag : null;
      try {
        const headers: Readonly<Record<string, string>> = tag === null ? {} : { 'If-None-Match': tag };
        const response = await request(path, { headers, signal: leaving.signal });
        if (response.status === 304)
          return settle(({ data }) => ({ data, failure: undefined, isLoading: false }));
        const data = (await (as === 'json' ? response.json() : response.text())) as Body;
        if (leaving.signal.aborted) return;
        last.current = { path, tag: response.headers.get('ETag') };
        settle(() => ({ data, failure: undefined, isLoading: false }));
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = failureOf(error);
        settle(({ data }) => ({ data, failure, isLoading: false }));
      }
    };
    const stop = repeat(load, pollMs);
    return () => {
      stop();
      leaving.abort();
    };
  }, [path, round, pollMs, keepsData, as]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isBack = serverState.value === 'there' && state.failure?.kind === 'lost';
  useEffect(() => {
    if (isBack) reload();
  }, [isBack, reload]);
  return { ...state, reload };
}

/** Runs the work now, and again some time after each end, while the page is visible. */
function repeat(work: () => Promise<void>, pauseMs: number | undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isWorking = false;
  const round = async (): Promise<void> => {
    timer = undefined;
    isWorking = true;
    await work();
    isWorking = false;
    if (!isOver && pauseMs !== undefined && document.visibilityState === 'visible')
      timer = setTimeout(round, pauseMs);
  };
  const onVisible = (): void => {
    const isWaiting = isWorking || timer !== undefined || document.visibilityState !== 'visible';
    if (!isOver && !isWaiting && pauseMs !== undefined) timer = setTimeout(round, 0);
  };
  document.addEventListener('visibilitychange', onVisible);
  void round();
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
