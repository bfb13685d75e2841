import { useEffect, useMemo } from 'preact/hooks';
import type { ConversationPage } from '../../../view/conversation/conversation-page.js';
import { requestJson, serverState } from '../../api/request.js';
import { ConversationFeed } from './conversation-feed.js';

/** Interval in milliseconds of requests while a stage runs: its events come a moment before its entries. */
const pollMs = 2500;
/** Pause before a request that an event calls for, so that many events are one request. */
const pauseMs = 120;

/**
 * Conversation of a visit for as long as the component is mounted, with what comes while its stage runs.
 * @param path of the stage at the server
 * @param stamp changes when there may be more
 */
export function useConversation(
  path: string,
  visit: number,
  isRunning: boolean,
  stamp: string,
): { readonly feed: ConversationFeed; readonly reload: () => void } {
  const feed = useMemo(
    () =>
      new ConversationFeed((after, signal) =>
        requestJson<ConversationPage>(`${path}/conversation?visit=${visit}&after=${after}`, { signal }),
      ),
    [path, visit],
  );
  const leaving = useMemo(() => new AbortController(), [feed]);
  const reload = (): void => void feed.update(leaving.signal);
  useEffect(() => {
    void feed.update(leaving.signal);
    return () => leaving.abort();
  }, [feed, leaving]);
  useEffect(() => {
    const timer = setTimeout(reload, pauseMs);
    return () => clearTimeout(timer);
  }, [feed, stamp, isRunning]);
  useEffect(() => {
    if (!isRunning) return undefined;
    const look = (): void => {
      if (document.visibilityState === 'visible') reload();
    };
    const timer = setInterval(look, pollMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [feed, isRunning]);
  const isBack = serverState.value === 'there' && feed.failure?.kind === 'lost';
  useEffect(() => {
    if (isBack) reload();
  }, [isBack]);
  return { feed, reload };
}
